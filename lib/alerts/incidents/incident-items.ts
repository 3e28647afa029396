import type { AlertUrgency } from '#lib/alerting/decide/transition.ts';
import type { CheckState, EntityState } from '#lib/catalog/states.ts';
import type { Acknowledgement, AnnouncedAlert } from '#lib/checks/check-item.ts';
import type { DeliveryKind } from '#lib/checks/delivery-id.ts';
import type { Item } from '#lib/platform/ports.ts';
import { DAY_MS } from '#lib/platform/time.ts';

/**
 * What is kept of an incident, for people: nothing is decided by it. Whom to tell of a failure is decided by
 * `IncidentItem` (lib/health/dependency), and which incident an entity is part of stands on the entity.
 */

type Impact = 'none' | 'degraded' | 'outage';

/** An incident. Written when it is opened, when people change it, and when it may be over. About 500 bytes. */
export type StoredIncident = Item & {
  v: string;
  tenant_id: string;
  id: string;
  origin: 'automatic' | 'manual';
  title: string;
  impact: Impact;
  /** Somebody has said which, so that it does not follow from states. */
  impact_is_set?: true;
  /** Of an automatic one: whose failure explains all the others. */
  root_entity_id: string | null;
  root_entity_name: string | null;
  /** Of a manual one: what it is about. */
  entity_ids?: string[];
  /** ISO 8601. */
  started_at: string;
  acknowledgement?: Acknowledgement;
  resolved_at?: string;
  /** Who, or `automatic`. */
  resolved_by?: string;
  hidden: boolean;
  created_at: string;
  updated_at: string;
  /** Epoch ms: a look whether it is over is on its way. */
  look_at?: number;
};

/**
 * An entity in an automatic incident, as its latest transition left it. Each transition has a number within its entity,
 * so that they may come in any order, and twice. About 400 bytes, written with each.
 */
export type IncidentEntity = Item & {
  v: string;
  entity_id: string;
  entity_name: string;
  /** Number of the latest transition, and when that was (epoch ms). */
  seq: number;
  at: number;
  /** How many of its checks were down then. */
  down_checks: number;
  /** Its latest failure. */
  failure?: { seq: number; check_id: string; transition_id: string; transition_sk: string; since: string };
};

/** A change of a check as the timeline shows it. */
type Changed = {
  transition_id: string;
  entity_id: string;
  entity_name: string;
  check_id: string;
  check_label: string;
  check_from_state: CheckState;
  check_to_state: CheckState;
  to_state: EntityState;
  error_message: string;
};

/** An alert as the timeline shows it. */
type Alerted = {
  alert_id: string;
  alert_kind: DeliveryKind;
  urgency: AlertUrgency;
  check_id: string;
  entity_id: string;
  announces: AnnouncedAlert['announces'] | null;
  /** The entity that it names as cause. */
  root_entity_id: string | null;
  to: { channel_id: string; channel_type: string; delivery_id: string }[];
};

type EntryKind = 'opened' | 'joined' | 'transition' | 'alert' | 'escalated' | 'acknowledged' | 'note' | 'resolved';

/** Something that happened in an incident. About 400 bytes; written once. */
export type TimelineItem = Item & {
  v: string;
  id: string;
  at: string;
  kind: EntryKind;
  by?: string;
  text?: string;
  transition?: Changed;
  alert?: Alerted;
};

/** An incident is kept for so long with all that belongs to it. */
const KEPT_MS = 400 * DAY_MS;

/** Epoch seconds at which what is written now may be dropped. */
export const expiryOf = (now: number): number => Math.ceil((now + KEPT_MS) / 1000);
