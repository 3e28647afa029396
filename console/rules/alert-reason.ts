import type {
  Delivery,
  DeliveryKind,
  Explanation,
  SkipReason,
  Transition,
  TransitionCause,
} from '#console/api/records.ts';
import { list } from './words.ts';

/** Texts of a reason; the meaning follows the label and a colon. */
type Texts = Readonly<Record<SkipReason, { label: string; meaning: string; remedy: string }>>;

/** What may have been sent about a change all the same. */
const LATER: Readonly<Partial<Record<DeliveryKind, string>>> = {
  late: 'A late alert was sent.',
  reminder: 'Reminders were sent.',
  remediation_failed: 'An alert that the remediation did not help was sent.',
  closed: 'A closing alert was sent.',
};

/** What is known of what was sent, and what types of channels are called. */
type Sent = { deliveries?: readonly Delivery[] | undefined; titleOf?: (channel_type: string) => string };

/**
 * Whether an alert was sent for a change of state, and if not, why. Only the deliveries show whether one was sent
 * later.
 */
export function alertReason(
  { alert }: { alert: Pick<Transition['alert'], 'decision' | 'reason' | 'deliveries'> },
  texts: Texts,
  { deliveries = [], titleOf = (type) => type }: Sent = {},
): { told: boolean; text: string } {
  if (alert.decision === 'planned') return { told: true, text: outcome(alert.deliveries.length, deliveries, titleOf) };
  if (alert.reason === null) return { told: false, text: 'No reason was recorded.' };
  const { label, meaning, remedy } = texts[alert.reason];
  const later = deliveries.find(({ kind, status }) => status === 'sent' && LATER[kind]);
  const more = later ? LATER[later.kind] : remedy;
  return { told: later !== undefined, text: [`${label}: ${meaning}`, more].filter(Boolean).join(' ') };
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
  missed_heartbeat: 'missed heartbeat',
  check_disabled: 'a user disabled the check',
  check_enabled: 'a user enabled the check',
  check_deleted: 'a user deleted the check',
};

export const KIND: Readonly<Record<DeliveryKind, string>> = {
  state_change: 'Alert',
  reminder: 'Reminder',
  late: 'Late alert',
  escalation: 'Escalation',
  impact: 'Impact update',
  acknowledged: 'Acknowledged',
  closed: 'Closing note',
  remediation_failed: 'Remediation failed',
  test: 'Test',
};

/** What a delivery is: `Escalation, step 2`. */
export const kindOf = ({ kind, step }: Pick<Delivery, 'kind' | 'step'>): string =>
  step === null ? KIND[kind] : `${KIND[kind]}, step ${step}`;

export const STATUS: Readonly<Record<Delivery['status'], string>> = {
  pending: 'On its way',
  retrying: 'Tried, trying again',
  sent: 'Sent',
  failed: 'Failed',
};

/** Whether a delivery may still change. */
export const isOpen = ({ status }: Pick<Delivery, 'status'>): boolean => status === 'pending' || status === 'retrying';

export const RULE_OUTCOME: Readonly<Record<Explanation['rules'][number]['outcome'], string>> = {
  pass: 'passed',
  stop: 'stopped the alert',
  not_reached: 'not reached',
};
