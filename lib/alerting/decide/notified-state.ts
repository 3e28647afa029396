import { type Policy, stateForAlerting } from '#lib/alerting/policy/policy.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { FlappingFigures, RecentFailures, UnreportedFailures } from '#lib/channels/alert.ts';
import type {
  Acknowledgement,
  CheckItem,
  Flapping,
  NotifiedAlert,
  NotifiedState,
  NotifiedStates,
} from '#lib/checks/check-item.ts';
import { iso, pastOrZero } from '#lib/platform/time.ts';

/** Maximum number of alerts stored individually; bounds the size of a check item. */
const MAX_LATEST = 4;
const NOTHING: NotifiedStates = { baseline: 'up', latest: [] };

export function reportedStateOf(
  state: CheckState,
  policy: Pick<Policy, 'notify_on_degraded'>,
): NotifiedAlert['reports_state'] {
  const reported = stateForAlerting(state, policy);
  return reported === 'unknown' ? 'up' : reported;
}

/** Returns the state in the latest alert that did not fail; up before the first (docs/use/alerts.md#late-alerts). */
export const lastNotifiedState = ({ announced = NOTHING }: CheckItem['alerts']): NotifiedState =>
  announced.latest.at(-1)?.reports_state ?? announced.baseline;

/** Adds the latest alert. Beyond the maximum, drops the oldest; if its state differs, `baseline` becomes unknown. */
export function withLatestAlert(
  { announced = NOTHING, failed_at: failures = [] }: CheckItem['alerts'],
  alert: NotifiedAlert,
): NotifiedStates {
  const lastFailure = failures.at(-1);
  const latest = [...announced.latest, { ...alert, ...(lastFailure !== undefined && { failed_at: lastFailure }) }];
  const dropped = latest.length > MAX_LATEST ? latest.shift() : undefined;
  const isSame = dropped === undefined || dropped.reports_state === announced.baseline;
  const { failed_at } = dropped ?? announced;
  return {
    baseline: isSame ? announced.baseline : 'unknown',
    ...(failed_at !== undefined && { failed_at }),
    latest,
  };
}

/** Returns the notified states without an alert whose deliveries all failed; the same object if it is not in them. */
export function withoutFailedAlert(announced: NotifiedStates, id: string): NotifiedStates {
  return announced.latest.some((alert) => alert.id === id)
    ? { ...announced, latest: announced.latest.filter((alert) => alert.id !== id) }
    : announced;
}

type Counted = Pick<CheckItem['alerts'], 'changed_at' | 'flapping'>;
type FlapPolicy = Pick<Policy, 'flap_threshold' | 'flap_window_seconds'>;

/** Returns the time in ms that a check has to keep one state until it no longer flaps: a quarter of the window. */
const calmMs = ({ flap_window_seconds }: FlapPolicy): number => flap_window_seconds * 250;

/** Whether a check still flaps. Times in the future, from a fast clock, do not count. */
export const isFlapping = ({ changed_at = [], flapping }: Counted, at: number): boolean =>
  flapping !== undefined && at < flapping.until && pastOrZero(changed_at.at(-1) ?? 0, at) > 0;

/** Counts a change at `at` (epoch ms). A check flaps after flap_threshold changes in the window, until it is calm. */
export function countChange(alerts: CheckItem['alerts'], policy: FlapPolicy, at: number): CheckItem['alerts'] {
  const { flap_threshold, flap_window_seconds } = policy;
  if (flap_threshold === 0) return withoutChangeCount(alerts);
  const continues = isFlapping(alerts, at);
  const { changed_at = [], flapping, ...rest } = continues ? alerts : withoutFlapping(alerts);
  const since = at - flap_window_seconds * 1000;
  const changes = [...changed_at.filter((one) => pastOrZero(one, at) > since), at].slice(-flap_threshold);
  const until = at + calmMs(policy);
  if (flapping) return { ...rest, changed_at: changes, flapping: { ...flapping, until } };
  return { ...rest, changed_at: changes, ...(changes.length >= flap_threshold && { flapping: { since: at, until } }) };
}

export function withoutChangeCount(alerts: CheckItem['alerts']): CheckItem['alerts'] {
  const { flapping: _flapping, changed_at: _counted, ...rest } = alerts;
  return rest;
}

/** Removes the counted changes of a check that has flapped and is calm. */
export const withoutFlapping = (alerts: CheckItem['alerts']): CheckItem['alerts'] =>
  alerts.flapping ? withoutChangeCount(alerts) : alerts;

/** Returns when to send the alert suppressed by flapping (epoch ms); undefined if no alert has reported flapping. */
export const flappingEndsAt = ({ flapping }: Counted, { flap_threshold }: FlapPolicy): number | undefined =>
  flap_threshold > 0 && flapping?.notified ? flapping.until : undefined;

/** Returns the figures that the first alert about flapping reports, at `at` (epoch ms). */
export const flappingFigures = ({ changed_at = [] }: Counted, policy: FlapPolicy, at: number): FlappingFigures => ({
  changes: changed_at.length,
  within_ms: at - (changed_at[0] ?? at),
  calm_ms: calmMs(policy),
});

export const withFlappingNotified = ({ flapping }: Counted): { flapping?: Flapping } =>
  flapping ? { flapping: { ...flapping, notified: true } } : {};

/** Age limit (ms) and maximum number of recent failures; 13 bytes each. */
const RECENT_MS = 86_400_000;
const MAX_RECENT = 20;

/** Adds a change to down at `at` (epoch ms). Pure. */
export const withFailure = (alerts: CheckItem['alerts'], at: number): CheckItem['alerts'] => ({
  ...alerts,
  failed_at: [...(alerts.failed_at ?? []).filter((one) => isRecent(one, at)), at].slice(-MAX_RECENT),
});

/** Counts the failures of a check within a day before `at` (epoch ms). */
export const recentFailures = ({ failed_at = [] }: CheckItem['alerts'], at: number): RecentFailures => ({
  failures: failed_at.filter((one) => isRecent(one, at)).length,
  within_ms: RECENT_MS,
});

const isRecent = (one: number, at: number): boolean => one > at - RECENT_MS && one <= at;

/** Returns the start (epoch ms) of the last failure before the last alert, if any. Failed alerts do not count. */
const lastReportedFailure = ({ announced = NOTHING }: CheckItem['alerts']): number | undefined =>
  (announced.latest.at(-1) ?? announced).failed_at;

/** Returns the stored starts (epoch ms) of the failures since the last alert. */
function failuresSinceAlert(alerts: CheckItem['alerts']): number[] {
  const { failed_at = [] } = alerts;
  const reported = lastReportedFailure(alerts);
  return reported === undefined ? failed_at : failed_at.slice(failed_at.lastIndexOf(reported) + 1);
}

/** Whether a failure began after the last alert, even if both are older than every stored failure. */
function isSinceAlert(alerts: CheckItem['alerts'], from: number): boolean {
  const reported = lastReportedFailure(alerts);
  if (reported === undefined || failuresSinceAlert(alerts).includes(from)) return true;
  return !alerts.failed_at?.includes(reported) && from > reported;
}

/** Whether the last alert reports down, and the check has recovered and failed again since. */
export const hasFailedAgain = (alerts: CheckItem['alerts']): boolean =>
  lastNotifiedState(alerts) === 'down' && failuresSinceAlert(alerts).length > 0;

/** Returns the failures since the last alert, up to the last one that is over and was suppressed by the cooldown. */
export function unreportedFailures(alerts: CheckItem['alerts']): UnreportedFailures | undefined {
  const { from, to, count } = alerts.suppressed?.findLast((one) => one.to !== undefined) ?? {};
  if (from === undefined || to === undefined || count === undefined || !isSinceAlert(alerts, from)) return undefined;
  return { count, from: iso(from), to: iso(to) };
}

/** Returns what an alert says about failures before it: that the check is down again, and unreported failures. */
export function earlierFailures(
  alerts: CheckItem['alerts'],
  reports_state: NotifiedAlert['reports_state'],
): { again?: true; unreported?: UnreportedFailures } {
  const unreported = unreportedFailures(alerts);
  return {
    ...(reports_state === 'down' && hasFailedAgain(alerts) && { again: true }),
    ...(unreported && { unreported }),
  };
}

/** Marks the present failure as suppressed by the cooldown. Pure. */
export function withSuppressedFailure(alerts: CheckItem['alerts']): CheckItem['alerts'] {
  const { failed_at = [], suppressed = [] } = alerts;
  const before = suppressed.at(-1);
  const count =
    before && isSinceAlert(alerts, before.from)
      ? before.count + failed_at.slice(failed_at.lastIndexOf(before.from) + 1).length
      : failuresSinceAlert(alerts).length;
  return { ...alerts, suppressed: [...suppressed, { from: failed_at.at(-1)!, count }] };
}

/** Ends the suppressed failure at `at` (epoch ms). Pure. */
export function withFailureOver(alerts: CheckItem['alerts'], at: number): CheckItem['alerts'] {
  const last = alerts.suppressed?.at(-1);
  return last && last.to === undefined ? { ...alerts, suppressed: [{ ...last, to: at }] } : alerts;
}

/**
 * Cooldown class of an alert. `page`: a change from or to down. `warning`: a change between up and degraded; it waits
 * for the cooldown of any alert, and starts one for warnings only.
 */
export type CooldownClass = 'page' | 'warning';

/** Starts a cooldown at `at` (epoch ms); null: none. */
export const startCooldown = (of: CooldownClass | null, at: number): CheckItem['alerts'] =>
  of === null ? {} : of === 'page' ? { last_planned_at: at } : { last_warned_at: at };

type Alerts = CheckItem['alerts'];

/** Adds planned alerts to the notified states. Pure. */
export function withNotifiedAlerts(alerts: Alerts, planned: readonly NotifiedAlert[]): Alerts {
  let after = alerts;
  for (const alert of planned) after = { ...after, announced: withLatestAlert(after, alert) };
  return after;
}

/** Clears the notified alerts after a recovery without an alert; keeps suppressed failures for the next alert. Pure. */
export function withoutNotifiedAlerts(alerts: Alerts): Alerts {
  const { announced: _announced, suppressed, ...rest } = alerts;
  if (!suppressed || !unreportedFailures(alerts)) return rest;
  const failed_at = lastReportedFailure(alerts);
  return { ...rest, suppressed, announced: { ...NOTHING, ...(failed_at !== undefined && { failed_at }) } };
}

/** Records a planned state change alert at `at` (epoch ms): its cooldown starts, and flapping counts as reported. */
export const afterNotifying = (
  alerts: Alerts,
  planned: readonly NotifiedAlert[],
  cooldown: CooldownClass | null,
  at: number,
): Alerts =>
  withNotifiedAlerts({ ...alerts, ...startCooldown(cooldown, at), ...withFlappingNotified(alerts) }, planned);

/**
 * Starts or ends the failure of a check after a change of state. A failure lasts from down, through degraded, until up
 * or disabled. Recipients of escalation steps stay recorded until the recovery alert.
 */
export function withEpisode(
  alerts: CheckItem['alerts'],
  to: CheckState,
  policy: Pick<Policy, 'notify_on_degraded'>,
  transition_id: string,
): CheckItem['alerts'] {
  const { episode, escalated, ...rest } = alerts;
  const reported = stateForAlerting(to, policy);
  if (reported === 'up' || reported === 'unknown')
    return episode ? { ...rest, ...(escalated && { escalated }) } : alerts;
  if (episode || reported !== 'down') return alerts;
  const isPending = escalated && lastNotifiedState(alerts) !== 'up';
  return { ...rest, episode: { transition_id }, ...(isPending && { escalated }) };
}

export function withAcknowledgement(
  alerts: CheckItem['alerts'],
  acknowledgement: Acknowledgement | undefined,
): CheckItem['alerts'] {
  if (!alerts.episode) return alerts;
  const { acknowledgement: _before, ...episode } = alerts.episode;
  return { ...alerts, episode: { ...episode, ...(acknowledgement && { acknowledgement }) } };
}
