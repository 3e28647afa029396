import { type Policy, stateForAlerting } from '#lib/alerting/policy/policy.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { FlapNote, RecentFailures } from '#lib/channels/alert.ts';
import type {
  Acknowledgement,
  CheckItem,
  Flapping,
  NotifiedAlert,
  NotifiedState,
  NotifiedStates,
} from '#lib/checks/check-item.ts';
import { pastOrZero } from '#lib/platform/time.ts';

/** Alerts remembered one by one; bounds the size of a check item. */
const MAX_IN_FLIGHT = 4;
const NOTHING: NotifiedStates = { baseline: 'up', inFlight: [] };

/** What an alert about a check in a state says. */
export function reportedStateOf(
  state: CheckState,
  policy: Pick<Policy, 'notify_on_degraded'>,
): NotifiedAlert['reports_state'] {
  const believed = stateForAlerting(state, policy);
  return believed === 'unknown' ? 'up' : believed;
}

/** The state in the latest alert that did not fail; none yet counts as up (docs/use/alerts.md#late-alerts). */
export const lastNotifiedState = ({ announced = NOTHING }: CheckItem['alerts']): NotifiedState =>
  announced.inFlight.at(-1)?.reports_state ?? announced.baseline;

/**
 * The announced state once `alert` is planned. The oldest alert in flight may have to make room; whether it was sent is
 * not known then, so `baseline` is unknown unless both say the same.
 */
export function withAlertInFlight({ announced = NOTHING }: CheckItem['alerts'], alert: NotifiedAlert): NotifiedStates {
  const inFlight = [...announced.inFlight, alert];
  const forgotten = inFlight.length > MAX_IN_FLIGHT ? inFlight.shift() : undefined;
  const isSame = forgotten === undefined || forgotten.reports_state === announced.baseline;
  return { baseline: isSame ? announced.baseline : 'unknown', inFlight };
}

/** The announced state once every delivery of an alert has failed; the same object when it is not in flight. */
export function withoutAlertInFlight(announced: NotifiedStates, id: string): NotifiedStates {
  return announced.inFlight.some((alert) => alert.id === id)
    ? { ...announced, inFlight: announced.inFlight.filter((alert) => alert.id !== id) }
    : announced;
}

type Counted = Pick<CheckItem['alerts'], 'changed_at' | 'flapping'>;
type FlapPolicy = Pick<Policy, 'flap_threshold' | 'flap_window_seconds'>;

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
  if (flap_threshold === 0) return withoutChangeCount(alerts);
  const goesOn = isFlapping(alerts, at);
  const { changed_at = [], flapping, ...rest } = goesOn ? alerts : withoutFlapping(alerts);
  const since = at - flap_window_seconds * 1000;
  const changes = [...changed_at.filter((one) => pastOrZero(one, at) > since), at].slice(-flap_threshold);
  const until = at + calmMs(policy);
  if (flapping) return { ...rest, changed_at: changes, flapping: { ...flapping, until } };
  return { ...rest, changed_at: changes, ...(changes.length >= flap_threshold && { flapping: { since: at, until } }) };
}

/** Without all that was counted. */
export function withoutChangeCount(alerts: CheckItem['alerts']): CheckItem['alerts'] {
  const { flapping: _flapping, changed_at: _counted, ...rest } = alerts;
  return rest;
}

/** The same of a check that has flapped and is calm: it is counted anew. */
export const withoutFlapping = (alerts: CheckItem['alerts']): CheckItem['alerts'] =>
  alerts.flapping ? withoutChangeCount(alerts) : alerts;

/** When what was held back for flapping is told (epoch ms); undefined when no alert has said that it flaps. */
export const flappingEndsAt = ({ flapping }: Counted, { flap_threshold }: FlapPolicy): number | undefined =>
  flap_threshold > 0 && flapping?.told ? flapping.until : undefined;

/** What the alert says that tells first of flapping, at `at` (epoch ms). */
export const flapNote = ({ changed_at = [] }: Counted, policy: FlapPolicy, at: number): FlapNote => ({
  changes: changed_at.length,
  within_ms: at - (changed_at[0] ?? at),
  calm_ms: calmMs(policy),
});

/** What is remembered of flapping once an alert was planned. */
export const withFlappingNotified = ({ flapping }: Counted): { flapping?: Flapping } =>
  flapping ? { flapping: { ...flapping, told: true } } : {};

/** So long back (ms) counts what failed lately, and so many of it are kept at most: 13 bytes each. */
const LATELY_MS = 86_400_000;
const MAX_RECENT = 20;

/** Pure: what alerting remembers with one more change to down at `at` (epoch ms). */
export const withFailure = (alerts: CheckItem['alerts'], at: number): CheckItem['alerts'] => ({
  ...alerts,
  failed_at: [...(alerts.failed_at ?? []).filter((one) => isLately(one, at)), at].slice(-MAX_RECENT),
});

/** How often a check went down within a day up to `at` (epoch ms). */
export const recentFailures = ({ failed_at = [] }: CheckItem['alerts'], at: number): RecentFailures => ({
  failures: failed_at.filter((one) => isLately(one, at)).length,
  within_ms: LATELY_MS,
});

const isLately = (one: number, at: number): boolean => one > at - LATELY_MS && one <= at;

/**
 * Which cooldown an alert waits for and starts. A warning is between up and degraded: it waits for the cooldown of any
 * alert, and starts one that holds back warnings alone.
 */
export type CooldownClass = 'page' | 'warning';

/** The cooldown that an alert starts at `at` (epoch ms). */
export const startCooldown = (of: CooldownClass, at: number): CheckItem['alerts'] =>
  of === 'page' ? { last_planned_at: at } : { last_warned_at: at };

type Alerts = CheckItem['alerts'];

/** Pure: what a check remembers once alerts that its channels are to believe were planned. */
export function withNotifiedAlerts(alerts: Alerts, planned: readonly NotifiedAlert[]): Alerts {
  let after = alerts;
  for (const alert of planned) after = { ...after, announced: withAlertInFlight(after, alert) };
  return after;
}

/** Pure: the same where nobody is left to whom anything was announced. */
export function withoutNotifiedAlerts({ announced: _announced, ...alerts }: Alerts): Alerts {
  return alerts;
}

/** What it remembers of its change of state, at `at` (epoch ms): its cooldown begins, and that it flaps was told. */
export const afterNotifying = (
  alerts: Alerts,
  planned: readonly NotifiedAlert[],
  cooldown: CooldownClass,
  at: number,
): Alerts =>
  withNotifiedAlerts({ ...alerts, ...startCooldown(cooldown, at), ...withFlappingNotified(alerts) }, planned);

/**
 * What alerting remembers of a failure once its check is in a state: it begins with down, goes on through degraded, and
 * is over when the check counts as up, or is no longer judged. Whoever was called is remembered longer, until they are
 * told of the recovery.
 */
export function withEpisode(
  alerts: CheckItem['alerts'],
  to: CheckState,
  policy: Pick<Policy, 'notify_on_degraded'>,
  transition_id: string,
): CheckItem['alerts'] {
  const { episode, escalated, ...rest } = alerts;
  const believed = stateForAlerting(to, policy);
  if (believed === 'up' || believed === 'unknown')
    return episode ? { ...rest, ...(escalated && { escalated }) } : alerts;
  if (episode || believed !== 'down') return alerts;
  const isOwed = escalated && lastNotifiedState(alerts) !== 'up';
  return { ...rest, episode: { transition_id }, ...(isOwed && { escalated }) };
}

/** With an acknowledgement of the failure that goes on, or without one. */
export function withAcknowledgement(
  alerts: CheckItem['alerts'],
  acknowledgement: Acknowledgement | undefined,
): CheckItem['alerts'] {
  if (!alerts.episode) return alerts;
  const { acknowledgement: _before, ...episode } = alerts.episode;
  return { ...alerts, episode: { ...episode, ...(acknowledgement && { acknowledgement }) } };
}
