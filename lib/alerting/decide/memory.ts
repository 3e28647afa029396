import type { Policy } from '#lib/alerting/policy/policy.ts';
import type { CheckItem, Flapping } from '#lib/checks/check-item.ts';
import { pastOrZero } from '#lib/platform/time.ts';

type Counted = Pick<CheckItem['alerts'], 'changed_at' | 'flapping'>;
type FlapPolicy = Pick<Policy, 'flap_threshold' | 'flap_window_seconds'>;

/** What an alert says of flapping: how many changes there were within which time, and when it is told again; ms. */
export type FlapNote = { changes: number; within_ms: number; calm_ms: number };

/** So long (ms) a check has to keep one state to be flapping no more: a quarter of the window. */
const calmMs = ({ flap_window_seconds }: FlapPolicy): number => flap_window_seconds * 250;

/** Whether a check flaps still. What a clock that ran ahead has noted does not count. */
export const isFlapping = ({ changed_at = [], flapping }: Counted, at: number): boolean =>
  flapping !== undefined && at < flapping.until && pastOrZero(changed_at.at(-1) ?? 0, at) > 0;

/**
 * What alerting remembers with one more change at `at` (epoch ms): a check flaps once there were flap_threshold within
 * the window, until it was calm; then the count begins anew.
 */
export function countChange(alerts: CheckItem['alerts'], policy: FlapPolicy, at: number): CheckItem['alerts'] {
  const { flap_threshold, flap_window_seconds } = policy;
  if (flap_threshold === 0) return uncounted(alerts);
  const goesOn = isFlapping(alerts, at);
  const { changed_at = [], flapping, ...rest } = goesOn ? alerts : withoutFlapping(alerts);
  const since = at - flap_window_seconds * 1000;
  const changes = [...changed_at.filter((one) => pastOrZero(one, at) > since), at].slice(-flap_threshold);
  const until = at + calmMs(policy);
  if (flapping) return { ...rest, changed_at: changes, flapping: { ...flapping, until } };
  return { ...rest, changed_at: changes, ...(changes.length >= flap_threshold && { flapping: { since: at, until } }) };
}

/** Without all that was counted. */
export function uncounted(alerts: CheckItem['alerts']): CheckItem['alerts'] {
  const { flapping: _flapping, changed_at: _counted, ...rest } = alerts;
  return rest;
}

/** The same of a check that has flapped and is calm: it is counted anew. */
export const withoutFlapping = (alerts: CheckItem['alerts']): CheckItem['alerts'] =>
  alerts.flapping ? uncounted(alerts) : alerts;

/** When what was held back for flapping is told (epoch ms); undefined when no alert has said that it flaps. */
export const toldAgainAt = ({ flapping }: Counted, { flap_threshold }: FlapPolicy): number | undefined =>
  flap_threshold > 0 && flapping?.told ? flapping.until : undefined;

/** What the alert says that tells first of flapping, at `at` (epoch ms). */
export const flapNote = ({ changed_at = [] }: Counted, policy: FlapPolicy, at: number): FlapNote => ({
  changes: changed_at.length,
  within_ms: at - (changed_at[0] ?? at),
  calm_ms: calmMs(policy),
});

/** What is remembered of flapping once an alert was planned. */
export const toldFlapping = ({ flapping }: Counted): { flapping?: Flapping } =>
  flapping ? { flapping: { ...flapping, told: true } } : {};
