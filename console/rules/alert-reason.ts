import type {
  Delivery,
  DeliveryKind,
  Explanation,
  SkipReason,
  Transition,
  TransitionCause,
} from '#console/api/records.ts';
import { list } from './words.ts';

/** Why nobody was told at once, for somebody who was woken, or was not. Every reason of the API has its sentence. */
const SKIPPED: Readonly<Record<SkipReason, string>> = {
  configuration: 'Somebody disabled or deleted the check: what people do to it themselves is not announced.',
  silenced: 'The check was silenced, so no alert went out.',
  initial: 'The check was up for the first time, and nobody had been told that it was down.',
  degraded_off: 'The policy of the check says not to announce degraded, which then counts as up.',
  recovery_off: 'The policy of the check says not to announce recoveries.',
  flapping: 'The check changed its state too often: an alert had said so, and that it would be told again later.',
  cooldown: 'The last alert of the check was too short a while ago: its cooldown was still running.',
  remediation: 'An action was to repair it first, so the alert was held until it was known whether that helped.',
  no_channels: 'The check had no channel that hears at once, so there was nobody to tell.',
  dependency: 'It followed from the failure of what its entity depends on, and whoever would be told knew of that.',
  maintenance: 'A maintenance window was open, so the alert was held until its end.',
};

/** What one can do about it; empty where all is as it should be. */
const REMEDY: Readonly<Record<SkipReason, string>> = {
  configuration: '',
  silenced: 'Lift the silence to be told again.',
  initial: '',
  degraded_off: '',
  recovery_off: '',
  flapping: 'Once it has kept one state for a while, that is announced.',
  cooldown: 'If it is still so when the cooldown ends, it is announced then, unless the policy switches that off.',
  remediation: 'If the repair does not help, it is announced then.',
  no_channels: 'Add a channel to be told the next time.',
  dependency: '',
  maintenance: 'If it is still so once the window is over, it is announced then.',
};

/** What may have been sent about a change all the same. */
const LATER: Readonly<Partial<Record<DeliveryKind, string>>> = {
  catch_up: 'It was announced later.',
  repeat: 'Reminders went out.',
  remediation_failed: 'That its repair did not help was told.',
  closed: 'Who believed it down or degraded got a closing note.',
};

/** What is known of what was sent, and what types of channels are called. */
type Sent = { deliveries?: readonly Delivery[] | undefined; titleOf?: (channel_type: string) => string };

/**
 * Whether a change of state was told to anybody, and if not, why, in words. What was held back may have been announced
 * later: that is known with its deliveries alone.
 */
export function alertReason(
  { alert }: { alert: Pick<Transition['alert'], 'decision' | 'reason' | 'deliveries'> },
  { deliveries = [], titleOf = (type) => type }: Sent = {},
): { told: boolean; text: string } {
  if (alert.decision === 'planned') return { told: true, text: outcome(alert.deliveries.length, deliveries, titleOf) };
  const reason = alert.reason === null ? 'No reason was recorded.' : SKIPPED[alert.reason];
  const later = deliveries.find(({ kind, status }) => status === 'sent' && LATER[kind]);
  if (later) return { told: true, text: `${reason} ${LATER[later.kind]}` };
  return { told: false, text: [reason, alert.reason && REMEDY[alert.reason]].filter(Boolean).join(' ') };
}

/** What became of an alert that was planned. */
function outcome(planned: number, deliveries: readonly Delivery[], titleOf: (type: string) => string): string {
  const channels = planned === 1 ? 'one channel' : `${planned} channels`;
  if (deliveries.length === 0) return `To ${channels}.`;
  const typesOf = (...states: Delivery['status'][]) => [
    ...new Set(
      deliveries.filter(({ status }) => states.includes(status)).map(({ channel_type }) => titleOf(channel_type)),
    ),
  ];
  const [sent, open, failed] = [typesOf('sent'), typesOf('pending', 'retrying'), typesOf('failed')];
  const parts = [
    sent.length > 0 && `Taken by ${list(sent)}.`,
    open.length > 0 && `Still on its way to ${list(open)}.`,
    failed.length > 0 && `Given up on ${list(failed)}: see the error.`,
  ];
  return parts.filter(Boolean).join(' ');
}

/** Why the state changed, where it was not by a result. */
export const CAUSE: Readonly<Record<TransitionCause, string>> = {
  result: '',
  silence: 'no result came in time',
  check_disabled: 'somebody disabled the check',
  check_enabled: 'somebody enabled the check',
  check_deleted: 'somebody deleted the check',
};

export const KIND: Readonly<Record<DeliveryKind, string>> = {
  state_change: 'Alert',
  repeat: 'Reminder',
  catch_up: 'Late alert',
  escalation: 'Escalation',
  impact: 'Impact update',
  acknowledged: 'Acknowledged',
  closed: 'Closing note',
  remediation_failed: 'Remediation failed',
  test: 'Test',
};

export const STATUS: Readonly<Record<Delivery['status'], string>> = {
  pending: 'On its way',
  retrying: 'Tried, trying again',
  sent: 'Sent',
  failed: 'Failed',
};

/** Whether a delivery may still change. */
export const isOpen = ({ status }: Pick<Delivery, 'status'>): boolean => status === 'pending' || status === 'retrying';

/** What each rule of alerting looks at, in a few words. */
export const RULE: Readonly<Record<Explanation['rules'][number]['rule'], string>> = {
  configuration: 'A change by people',
  acknowledged: 'Acknowledged',
  not_told: 'Announced before',
  repeats_off: 'Reminders',
  not_down: 'Still down',
  catch_up_off: 'Catching up',
  not_watched: 'Judged at all',
  silenced: 'Silence',
  initial: 'First state',
  degraded_off: 'Degraded announced',
  told_already: 'Told already',
  recovery_off: 'Recoveries announced',
  flapping: 'Flapping',
  cooldown: 'Cooldown',
  no_channels: 'Channels',
  dependency: 'Dependencies',
  maintenance: 'Maintenance window',
  remediation: 'Repair first',
};

export const RULE_OUTCOME: Readonly<Record<Explanation['rules'][number]['outcome'], string>> = {
  pass: 'passed',
  stop: 'held it back',
  not_reached: 'not asked',
};
