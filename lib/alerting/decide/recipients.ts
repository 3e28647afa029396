import { destinationOf, type TargetRef } from '#lib/alerting/policy/policy.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Deadline, HeldAlert } from './notes.ts';
import { lastNotifiedState } from './notified-state.ts';

type Escalated = Pick<CheckItem['alerts'], 'escalated'>;

/** Those that know of a failure: all of them, unless its alert is held until its cause is known. */
export function notifiedTargets<T extends TargetRef>(
  hold: Deadline | undefined,
  channels: readonly T[],
  alerts: Escalated,
): readonly T[] {
  const held = hold?.note?.held;
  return held?.reason === 'dependency' ? channels.filter((channel) => wasTold(channel, held, alerts)) : channels;
}

/**
 * Those that hear of its recovery: whoever was told of the failure; or all of them, where they had been told of trouble
 * before that.
 */
export const recoveryRecipients = <T extends TargetRef>(
  hold: Deadline | undefined,
  channels: readonly T[],
  alerts: Escalated,
): readonly T[] => (hold?.note?.held?.knew ? channels : notifiedTargets(hold, channels, alerts));

/** Whether the channels of a check believe that something is wrong, so that they have to hear when it is over. */
export const hadOpenAlert = (alerts: CheckItem['alerts']): Pick<HeldAlert, 'knew'> =>
  lastNotifiedState(alerts) === 'up' ? {} : { knew: true };

/** Those that are still to be told of a failure whose alert is held until its cause is known. */
export const pendingRecipients = <T extends TargetRef>(
  held: HeldAlert,
  channels: readonly T[],
  alerts: Escalated,
): T[] => channels.filter((channel) => !wasTold(channel, held, alerts));

/** Nobody knows of a failure yet: its alert is held until its cause is known, or what is to repair it had its time. */
export const isUnnotified = (hold: Deadline | undefined): boolean => {
  const held = hold?.note?.held;
  return (held?.reason === 'dependency' || held?.reason === 'remediation') && !held.told?.length;
};

/** By the alert that is held for others, or by a step of the escalation that began with it. */
const wasTold = (channel: TargetRef, { told = [] }: HeldAlert, { escalated = [] }: Escalated): boolean =>
  told.includes(destinationOf(channel)) || (told.length > 0 && escalated.includes(channel.id));
