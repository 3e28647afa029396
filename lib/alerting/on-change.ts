import type { OnChange } from '#lib/checks/state/on-change.ts';
import { lazy } from '#lib/platform/lazy.ts';

/** Loads the rules on the first change of state, because nearly all results change no state. */
export const loadDecisions = lazy(() => import('#lib/alerting/decide/decide-change.ts'));

export const onChange: OnChange = {
  read: async (env, check) => (await loadDecisions()).readForChange(env, check),
};
