import { destinationOf, type TargetRef } from '#lib/alerting/policy/policy.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Deadline, HeldAlert } from './notes.ts';
import { lastNotifiedState } from './notified-state.ts';

type Escalated = Pick<CheckItem['alerts'], 'escalated'>;

/**
 * Returns the channels of later alerts about a failure: all, or while its alert is held until its cause is known, only
 * the channels that have been notified.
 */
export function followUpTargets<T extends TargetRef>(
  hold: Deadline | undefined,
  channels: readonly T[],
  alerts: Escalated,
): readonly T[] {
  const held = hold?.note?.held;
  return held?.reason === 'dependency' ? channels.filter((channel) => wasNotified(channel, held, alerts)) : channels;
}

/** Returns the recipients of the recovery: the notified channels, or all if an earlier alert still needs a recovery. */
export const recoveryRecipients = <T extends TargetRef>(
  hold: Deadline | undefined,
  channels: readonly T[],
  alerts: Escalated,
): readonly T[] => (hold?.note?.held?.had_alert ? channels : followUpTargets(hold, channels, alerts));

/** Returns the note of a hold if the last notified state is not up: its channels need a recovery alert. */
export const openAlertNote = (alerts: CheckItem['alerts']): Pick<HeldAlert, 'had_alert'> =>
  lastNotifiedState(alerts) === 'up' ? {} : { had_alert: true };

/** Returns the channels that were not yet notified of a failure whose alert is held for its cause. */
export const pendingRecipients = <T extends TargetRef>(
  held: HeldAlert,
  channels: readonly T[],
  alerts: Escalated,
): T[] => channels.filter((channel) => !wasNotified(channel, held, alerts));

/** Whether no channel was notified of a failure: its alert is held for its cause or its remediation. */
export const isUnnotified = (hold: Deadline | undefined): boolean => {
  const held = hold?.note?.held;
  return (held?.reason === 'dependency' || held?.reason === 'remediation') && !held.notified?.length;
};

/** Whether a channel was notified: despite the hold, or by an escalation step. */
const wasNotified = (channel: TargetRef, { notified = [] }: HeldAlert, { escalated = [] }: Escalated): boolean =>
  notified.includes(destinationOf(channel)) || (notified.length > 0 && escalated.includes(channel.id));
