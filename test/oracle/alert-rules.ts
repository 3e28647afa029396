import type { HoldReason } from '#lib/alerting/decide/rules.ts';
import type { AlertReason } from '#lib/alerting/decide/transition.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { EffectiveSettings } from './in-force.ts';

/** The rules of alerts and recipients, implemented from docs/use/alerts.md#decisions. */

/**
 * Returns the last notified state of a check: the state in the last alert that did not fail, "up" before the first
 * alert, or "unknown" if more alerts failed at once than the check remembers.
 */
export const lastNotifiedState = ({ alerts: { announced: notified } }: CheckItem): CheckState =>
  notified?.latest.at(-1)?.reports_state ?? notified?.baseline ?? 'up';

/** Returns the state that alerts should report. */
export const reportableState = (
  policy: Pick<EffectiveSettings, 'notify_on_degraded'>,
  state: CheckState,
): CheckState => (state === 'degraded' && !policy.notify_on_degraded ? 'up' : state);

type Changed = Pick<TransitionItem, 'cause' | 'check_from_state' | 'check_to_state'>;

/** Whether a change is reported as a warning: one side is degraded, and neither is down. */
export function isWarning({ check_from_state, check_to_state }: Changed, policy: EffectiveSettings): boolean {
  const sides = [check_from_state, check_to_state].map((state) => reportableState(policy, state));
  return sides.includes('degraded') && !sides.includes('down');
}

/** Whether a change is the recovery from a notified state and the policy exempts recoveries from the cooldown. */
export const skipsCooldown = (one: Changed, before: CheckItem, policy: EffectiveSettings): boolean =>
  !policy.cooldown_on_recovery &&
  reportableState(policy, one.check_to_state) === 'up' &&
  lastNotifiedState(before) !== 'up';

type Flaps = Pick<CheckItem['alerts'], 'changed_at' | 'flapping'>;

/**
 * Returns the flapping note of a check after a change. A first state does not count, nor does a change between two
 * states that are reported as the same state.
 */
export function flapsAfter(
  { changed_at = [], flapping }: Flaps,
  one: Changed,
  at: number,
  policy: EffectiveSettings,
): Flaps {
  const most = policy.flap_threshold;
  if (one.cause.startsWith('check_')) return {};
  const isFirst = one.check_from_state === 'unknown';
  if (isFirst || reportableState(policy, one.check_from_state) === reportableState(policy, one.check_to_state))
    return { ...(changed_at.length > 0 && { changed_at }), ...(flapping && { flapping }) };
  if (most === 0) return {};
  const window = policy.flap_window_seconds * 1000;
  const isCalm = flapping !== undefined && at >= flapping.until;
  const before = isCalm ? [] : changed_at;
  const within = [...before, at].filter((time) => at - time < window).slice(-most);
  const until = at + window / 4;
  if (flapping && !isCalm) return { changed_at: within, flapping: { ...flapping, until } };
  return within.length < most ? { changed_at: within } : { changed_at: within, flapping: { since: at, until } };
}

/** Returns the state that an alert reports. */
export const reportedAs = (state: CheckState): string => (state === 'unknown' ? 'up' : state);

/**
 * Alert of a check that is held because of a maintenance window or because its root cause is not known yet.
 * `notified`: destinations and channels that were notified nevertheless.
 */
export type HeldAlertState = {
  reason: HoldReason;
  notified: ReadonlySet<string>;
  /** Whether the last notified state was not up when the hold began, so that all recipients get the recovery. */
  knew: boolean;
};

/** Reasons for which simulations hold alerts. */
export const HOLDS: readonly string[] = ['dependency', 'maintenance'] satisfies HoldReason[];

/** Reasons that end by themselves: a late alert then reports the state, unless the recipients know it. */
export const ENDING: readonly string[] = ['cooldown', 'flapping'] satisfies AlertReason[];

/** Whether an alert that is not sent because of `reason` is held, to be decided later. */
export function isHeldFor(reason: string | null, one: Changed, before: CheckItem, policy: EffectiveSettings): boolean {
  const says = reportedAs(reportableState(policy, one.check_to_state));
  if (reason === 'dependency') return one.check_to_state === 'down';
  // A check that goes down is a new failure, even if the last alert reports down.
  const isNew = says === 'down' || says !== lastNotifiedState(before);
  return reason !== null && HOLDS.includes(reason) && says !== 'up' && isNew;
}

/** Input of a decision. `needs`: number of relations from the entity of the check that propagate failure. */
export type DecisionInput = { policy: EffectiveSettings; held: HeldAlertState | undefined; needs: number };

/**
 * Returns the recipients of an alert that reports a state, as channel ids. If the alert of a failure was held until its
 * root cause is known, the recovery goes only to recipients that were notified nevertheless, unless `knew` is set.
 */
export const recipientsOf = (says: string, { policy, held }: DecisionInput): string[] => {
  const isNarrow = says === 'up' && held?.reason === 'dependency' && !held.knew;
  const all = policy.recipients(says);
  return all
    .filter(({ destination, ids }) => !isNarrow || [destination, ...ids].some((one) => held.notified.has(one)))
    .map(({ id }) => id);
};

/**
 * Returns the reason why a transition is not, or not yet, reported; null if it is reported.
 * @param flaps flapping note that includes this change
 */
export function suppressionReason(
  one: Changed,
  at: number,
  check: CheckItem,
  flaps: Flaps,
  given: DecisionInput,
): string | null {
  const { policy, held, needs } = given;
  const [from, to] = [reportableState(policy, one.check_from_state), reportableState(policy, one.check_to_state)];
  if (one.cause.startsWith('check_')) return 'configuration';
  if (policy.silenced) return 'silenced';
  if (from === 'unknown' && to === 'up' && lastNotifiedState(check) === 'up') return 'initial';
  if (from === to) return 'degraded_disabled';
  if (to === 'up' && !policy.notify_on_recovery) return 'recovery_disabled';
  if (flaps.flapping?.notified) return 'flapping';
  const cooldown = policy.cooldown_seconds * 1000;
  const { last_planned_at: paged, last_warned_at: warned } = check.alerts;
  const runs = (last: number | undefined) => last !== undefined && at - last < cooldown;
  const isCooling = runs(paged) || (isWarning(one, policy) && runs(warned));
  if (isCooling && !skipsCooldown(one, check, policy)) return 'cooldown';
  const says = reportedAs(to);
  const recipients = recipientsOf(says, given);
  const hasRecipients = recipients.length > 0 || (says === 'down' && policy.escalates);
  const waitsForCause = held?.reason === 'dependency';
  if (waitsForCause && says === 'up' && recipients.length === 0) return 'dependency';
  const canWaitForCause = one.check_to_state === 'down' && needs > 0 && policy.hold_for_dependencies && !policy.window;
  if (canWaitForCause && !waitsForCause && hasRecipients) return 'dependency';
  if (!hasRecipients) return 'no_channels';
  const isPlanned = policy.window || held?.reason === 'maintenance';
  if (says === 'up') return isPlanned && lastNotifiedState(check) === 'up' ? 'maintenance' : null;
  if (policy.window) return 'maintenance';
  return recipients.length > 0 ? null : 'no_channels';
}
