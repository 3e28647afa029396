import { recipientsFor } from '#lib/alerting/policy/effective-policy.ts';
import { type AlertChannel, destinationOf, type Policy } from '#lib/alerting/policy/policy.ts';
import type { CheckItem, NotifiedAlert } from '#lib/checks/check-item.ts';
import type { Deadline, HeldAlert } from './notes.ts';
import { lastNotifiedState } from './notified-state.ts';

type Alerts = Pick<CheckItem['alerts'], 'episode' | 'escalated'>;

/**
 * Returns the channels for later alerts about a failure: all that apply or, while its alert is held until its cause is
 * known, only the channels that have been notified.
 */
export function followUpTargets(
  hold: Deadline | undefined,
  policy: Policy,
  reports_state: NotifiedAlert['reports_state'],
  alerts: Alerts,
): AlertChannel[] {
  const held = hold?.note?.held;
  const channels = recipientsFor(policy, reports_state, alerts);
  return held?.reason === 'dependency' ? channels.filter(wasNotified(held, policy, alerts)) : channels;
}

/** Returns the recipients of the recovery: the notified channels, or all if an earlier alert still needs a recovery. */
export const recoveryRecipients = (hold: Deadline | undefined, policy: Policy, alerts: Alerts): AlertChannel[] =>
  hold?.note?.held?.had_alert ? recipientsFor(policy, 'up', alerts) : followUpTargets(hold, policy, 'up', alerts);

/** Returns the note for a hold that begins while the last notified state is not up: channels need a recovery alert. */
export const openAlertNote = (alerts: CheckItem['alerts']): Pick<HeldAlert, 'had_alert'> =>
  lastNotifiedState(alerts) === 'up' ? {} : { had_alert: true };

/** Returns the channels that were not yet notified of a failure whose alert is held for its cause. */
export function pendingRecipients(held: HeldAlert, policy: Policy, alerts: Alerts): AlertChannel[] {
  const isNotified = wasNotified(held, policy, alerts);
  return recipientsFor(policy, 'down', alerts).filter((channel) => !isNotified(channel));
}

/** Whether no channel was notified of a failure, because its alert is held for its cause or its remediation. */
export const isUnnotified = (hold: Deadline | undefined): boolean => {
  const held = hold?.note?.held;
  return (held?.reason === 'dependency' || held?.reason === 'remediation') && !held.notified?.length;
};

/**
 * Returns a function that returns whether the destination of a channel was notified, despite the hold or by an
 * escalation step. Steps count only if a destination was notified despite the hold.
 */
function wasNotified({ notified = [] }: HeldAlert, { channels }: Policy, { escalated = [] }: Alerts) {
  const byStep = channels.filter(({ id }) => escalated.includes(id)).map(destinationOf);
  const all = new Set(notified.length > 0 ? [...notified, ...byStep] : []);
  return (channel: AlertChannel): boolean => all.has(destinationOf(channel));
}
