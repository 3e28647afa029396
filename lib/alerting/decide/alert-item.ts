import { type Channel, destinationOf } from '#lib/alerting/policy/policy.ts';
import type { AlertRoot, AlertUrgency, DeliveryKind, TriedRemediation } from '#lib/channels/alert.ts';
import type { Acknowledgement, NotifiedAlert } from '#lib/checks/check-item.ts';
import { ALERTS, type Keys } from '#lib/keys.ts';
import { derivedId } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { RetrySeries } from './notes.ts';
import type { RuleInput } from './rule-input.ts';

/**
 * The id of the n-th delivery of an alert to a channel. It follows from the transition, so that planning the same
 * alert again names the same delivery, and a receiver that has seen the id can drop the repeat.
 * @param at_ms epoch ms of the alert: deliveries sort by it
 * @param n 0 but for repeats and catch-ups of the same transition, which count up
 */
export const deliveryIdOf = (
  transition_id: string,
  at_ms: number,
  kind: DeliveryKind,
  n: number,
  channel_id: string,
): string => derivedId('dlv', at_ms, transition_id, kind, n, channel_id);

/** One channel of an alert, as it was chosen when the alert was decided. */
export type AlertTarget = {
  channel_id: string;
  channel_type: string;
  delivery_id: string;
  /** Where the channel led then. */
  destination?: string;
};

/**
 * An alert that was decided: the only source of deliveries. Immutable; put in the transaction that decides it, and
 * handed to the notifier by the table's stream. About 500 bytes.
 */
export type AlertItem = Item & {
  tenant_id: string;
  id: string;
  kind: DeliveryKind;
  check_id: string;
  entity_id: string;
  /** The transition that it tells of, and its sort key under the check; null for a test. */
  transition_id: string | null;
  transition_sk: string | null;
  /** State of the check that receivers believe afterwards; null for a test. */
  reports_state: NotifiedAlert['reports_state'] | null;
  /** Whom it tells, one delivery each. */
  to: AlertTarget[];
  urgency: AlertUrgency;
  /** It makes good one that failed on every channel; if it fails too, the series continues. */
  series?: RetrySeries;
  /** Of an escalation: which of its steps, from 0. */
  step?: number;
  /** Of one that says so: who looks after the failure. */
  acknowledgement?: Acknowledgement;
  /** The incident that it belongs to. */
  incident_id?: string;
  /** Other entities follow from that, or it follows from theirs: receivers keep all of its alerts together. */
  with_others?: true;
  /** The entity that explains it. */
  root?: AlertRoot;
  /** What was tried to repair it, and is given up. */
  remediation?: TriedRemediation;
  /** With others that were held under the same root, and are told together. */
  group?: AlertGroup;
  /** What was decided on, where no transition says so. */
  decided_on?: RuleInput;
};

/**
 * Alerts that were held under the same root and are released within the same ten seconds: one message tells each
 * destination of all of them, at `at` (epoch ms).
 */
type AlertGroup = { id: string; at: number; root_entity_name: string };

/** What a new alert is about. */
type NewAlert = Pick<
  AlertItem,
  | 'tenant_id'
  | 'check_id'
  | 'entity_id'
  | 'reports_state'
  | 'series'
  | 'step'
  | 'acknowledgement'
  | 'incident_id'
  | 'with_others'
  | 'root'
  | 'remediation'
  | 'group'
  | 'decided_on'
> & {
  kind: DeliveryKind;
  transition: { transition_id: string; sk: string };
  /** Epoch ms: deliveries sort by it. */
  at: number;
  /** Tells it from others of its kind about the same transition; 0 for the first. */
  n: number;
  channels: readonly Pick<Channel, 'id' | 'channel_type' | 'destination'>[];
  urgency?: AlertUrgency;
  /** Epoch seconds; it lives as long as its transition. */
  expires_at: number | undefined;
};

/** Pure: the alert and the ids of its deliveries follow from what it is about, so that deciding twice makes it once. */
export function alertItem(keys: Keys, { transition, at, n, channels, expires_at, ...about }: NewAlert): AlertItem {
  const { tenant_id, check_id, kind } = about;
  const { transition_id, sk: transition_sk } = transition;
  const id = derivedId('alr', at, transition_id, kind, n);
  return {
    urgency: 'high',
    ...about,
    ...keys.alert(tenant_id, check_id, at, id),
    ...(expires_at !== undefined && { expires_at }),
    id,
    transition_id,
    transition_sk,
    to: channels.map((channel) => ({
      channel_id: channel.id,
      channel_type: channel.channel_type,
      delivery_id: deliveryIdOf(transition_id, at, kind, n, channel.id),
      ...(channel.destination !== undefined && { destination: channel.destination }),
    })),
  };
}

/** What is released within this time (ms) is told together. */
const GROUP_MS = 10_000;

/** Pure: the group of an alert that is released at `now` (epoch ms): nobody need know what else is in it. */
export function groupAt(tenant: string, root: { id: string; name: string }, now: number): AlertGroup {
  const at = (Math.floor(now / GROUP_MS) + 1) * GROUP_MS;
  return { id: derivedId('grp', at, tenant, root.id), at, root_entity_name: root.name };
}

export const deliveriesOf = ({ to }: Pick<AlertItem, 'to'>): string[] => to.map(({ delivery_id }) => delivery_id);

/** Of what the stream brings. */
export const isAlert = <Other extends Item>(item: AlertItem | Other): item is AlertItem => item.sk.startsWith(ALERTS);

/** Where the channel led that an alert went to. */
export const destinationOfTarget = ({ channel_id: id, ...target }: AlertTarget): string =>
  destinationOf({ id, ...target });
