import type { OnChange } from '#lib/checks/state/on-change.ts';
import { lazy } from '#lib/platform/lazy.ts';

/** Loads the rules with the first change of state: nearly all results change none. */
export const loadDecisions = lazy(() => import('#lib/alerting/decide/decide-change.ts'));

/** The alerting port of state changes. */
export const onChange: OnChange = {
  read: async (env, check) => (await loadDecisions()).readForChange(env, check),
};
