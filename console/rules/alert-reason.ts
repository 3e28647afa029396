import type {
  Delivery,
  DeliveryKind,
  Explanation,
  SkipReason,
  Transition,
  TransitionCause,
} from '#console/api/records.ts';
import { list } from './words.ts';

type Texts = Readonly<Record<SkipReason, { label: string; meaning: string; remedy: string }>>;

/** Texts of the alerts that can follow a change whose own alert was not sent. */
const LATER: Readonly<Partial<Record<DeliveryKind, string>>> = {
  late: 'A late alert was sent.',
  reminder: 'Reminders were sent.',
  remediation_failed: 'An alert about the failed remediation was sent.',
  closed: 'A closing alert was sent.',
};

/** `deliveries`: deliveries of the transition, including later alerts. */
type Sent = { deliveries?: readonly Delivery[] | undefined; titleOf?: (channel_type: string) => string };

/** Returns whether an alert was planned or sent for a state change, with its outcome or the reason for no alert. */
export function alertReason(
  { alert }: { alert: Pick<Transition['alert'], 'decision' | 'reason' | 'deliveries'> },
  texts: Texts,
  { deliveries = [], titleOf = (type) => type }: Sent = {},
): { alerted: boolean; text: string } {
  if (alert.decision === 'planned')
    return { alerted: true, text: outcome(alert.deliveries.length, deliveries, titleOf) };
  if (alert.reason === null) return { alerted: false, text: 'No reason was recorded.' };
  const { label, meaning, remedy } = texts[alert.reason];
  const later = deliveries.find(({ kind, status }) => status === 'sent' && LATER[kind]);
  const more = later ? LATER[later.kind] : remedy;
  return { alerted: later !== undefined, text: [`${label}: ${meaning}`, more].filter(Boolean).join(' ') };
}

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
    sent.length > 0 && `Accepted by ${list(sent)}.`,
    open.length > 0 && `Pending for ${list(open)}.`,
    failed.length > 0 && `Failed for ${list(failed)}: see the error.`,
  ];
  return parts.filter(Boolean).join(' ');
}

/** Cause of a state change; empty for a result. */
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
  closed: 'Closing alert',
  remediation_failed: 'Remediation failed',
  status_update: 'Status update',
  monthly_report: 'Monthly report',
  test: 'Test',
};

/** Returns the kind of a delivery: `Escalation, step 2`. */
export const kindOf = ({ kind, step }: Pick<Delivery, 'kind' | 'step'>): string =>
  step === null ? KIND[kind] : `${KIND[kind]}, step ${step}`;

export const STATUS: Readonly<Record<Delivery['status'], string>> = {
  pending: 'Pending',
  retrying: 'Retrying',
  sent: 'Sent',
  failed: 'Failed',
};

/** Whether a delivery can still change. */
export const isOpen = ({ status }: Pick<Delivery, 'status'>): boolean => status === 'pending' || status === 'retrying';

export const RULE_OUTCOME: Readonly<Record<Explanation['rules'][number]['outcome'], string>> = {
  pass: 'passed',
  stop: 'stopped the alert',
  not_reached: 'not reached',
};
