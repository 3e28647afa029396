import { type Channel, destinationOf } from '#lib/alerting/policy/policy.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { AlertKind, AlertRoot, AlertUrgency, TriedRemediation, UnreportedFailures } from '#lib/channels/alert.ts';
import type { Acknowledgement, NotifiedAlert } from '#lib/checks/check-item.ts';
import { ALERTS, type Keys } from '#lib/keys.ts';
import { derivedId } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { RetrySeries } from './notes.ts';
import type { RuleInput } from './rule-input.ts';

/**
 * Derives the id of the delivery of an alert to a channel, so that a receiver can drop repetitions. Deliveries sort by
 * `at_ms`, the time of the alert (epoch ms). `n` distinguishes alerts of the same kind about the same transition.
 */
export const deliveryIdOf = (
  transition_id: string,
  at_ms: number,
  kind: AlertKind,
  n: number,
  channel_id: string,
): string => derivedId('dlv', at_ms, transition_id, kind, n, channel_id);

/** A recipient of an alert, as of its decision. */
export type AlertTarget = {
  channel_id: string;
  channel_type: string;
  delivery_id: string;
  destination?: string;
  /** Set if the channel combines alerts: seconds for which it waits for others. */
  group_seconds?: number;
};

/** An alert: the only source of deliveries about a check. Immutable, 500 bytes, written with its decision. */
export type AlertItem = Item & {
  tenant_id: string;
  id: string;
  kind: AlertKind;
  check_id: string;
  entity_id: string;
  /** The transition that it reports, and its sort key under the check; null for a test message. */
  transition_id: string | null;
  transition_sk: string | null;
  /** State of the check before that transition; null for a test message. */
  from_state: CheckState | null;
  /** State that it reports; null for a test message. */
  reports_state: NotifiedAlert['reports_state'] | null;
  to: AlertTarget[];
  urgency: AlertUrgency;
  /** Set if it replaces an alert that failed on every channel; if it fails too, the retries continue. */
  series?: RetrySeries;
  /** Escalation: index of the step, from 0. */
  step?: number;
  /** Escalation: indexes of the steps so far that did not reach a person on call. */
  unreached?: number[];
  acknowledgement?: Acknowledgement;
  incident_id?: string;
  /** Its failure is upstream or downstream of others: receivers group all alerts of the incident. */
  shares_incident?: true;
  root?: AlertRoot;
  /** Remediation that failed and was given up. */
  remediation?: TriedRemediation;
  /** Down: the check has recovered since the last alert, which also reported down. */
  again?: true;
  /** Failures since the last alert that were over before an alert reported them. */
  unreported?: UnreportedFailures;
  /** Set if it is sent together with others that were held under the same root cause. */
  group?: AlertGroup;
  /** Input of the decision; absent if only the transition stores it. */
  decided_on?: RuleInput;
};

/** Alerts held under one root cause and released within 10 s: one message per destination, at `at` (epoch ms). */
type AlertGroup = { id: string; at: number; root_entity_name: string };

type NewAlert = Pick<
  AlertItem,
  | 'tenant_id'
  | 'check_id'
  | 'entity_id'
  | 'reports_state'
  | 'series'
  | 'step'
  | 'unreached'
  | 'acknowledgement'
  | 'incident_id'
  | 'shares_incident'
  | 'root'
  | 'remediation'
  | 'again'
  | 'unreported'
  | 'group'
  | 'decided_on'
> & {
  kind: AlertKind;
  transition: { transition_id: string; sk: string; check_from_state: CheckState };
  /** Epoch ms: deliveries sort by it. */
  at: number;
  /** Distinguishes the alerts of this kind about the same transition: a time or a number. */
  n: number;
  channels: readonly Pick<Channel, 'id' | 'channel_type' | 'destination' | 'group_seconds'>[];
  urgency?: AlertUrgency;
  /** Epoch seconds, the expiry of its transition. */
  expires_at: number | undefined;
};

/** Returns an alert. Its ids are derived, so that a repeated decision creates the same alert. Pure. */
export function alertItem(keys: Keys, { transition, at, n, channels, expires_at, ...about }: NewAlert): AlertItem {
  const { tenant_id, check_id, kind } = about;
  const { transition_id, sk: transition_sk, check_from_state: from_state } = transition;
  const id = derivedId('alr', at, transition_id, kind, n);
  return {
    urgency: 'high',
    ...about,
    ...keys.alert(tenant_id, check_id, at, id),
    ...(expires_at !== undefined && { expires_at }),
    id,
    transition_id,
    transition_sk,
    from_state,
    to: channels.map((channel) => ({
      channel_id: channel.id,
      channel_type: channel.channel_type,
      delivery_id: deliveryIdOf(transition_id, at, kind, n, channel.id),
      ...(channel.destination !== undefined && { destination: channel.destination }),
      ...(channel.group_seconds && { group_seconds: channel.group_seconds }),
    })),
  };
}

/** Time in ms within which released alerts form one group. */
const GROUP_MS = 10_000;

/** Returns the group of an alert released at `now` (epoch ms), without a read. Pure. */
export function groupAt(tenant: string, root: { id: string; name: string }, now: number): AlertGroup {
  const at = (Math.floor(now / GROUP_MS) + 1) * GROUP_MS;
  return { id: derivedId('grp', at, tenant, root.id), at, root_entity_name: root.name };
}

export const deliveriesOf = ({ to }: Pick<AlertItem, 'to'>): string[] => to.map(({ delivery_id }) => delivery_id);

/** Whether an item of the table stream is an alert. */
export const isAlert = <Other extends Item>(item: AlertItem | Other): item is AlertItem => item.sk.startsWith(ALERTS);

export const destinationOfTarget = ({ channel_id: id, ...target }: AlertTarget): string =>
  destinationOf({ id, ...target });
