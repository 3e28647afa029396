import * as z from 'zod';
import { AlertDecision } from '#lib/alerting/decide/transition.ts';
import { type CheckState, EntityState } from '#lib/catalog/states.ts';
import type { AlertUrgency, DeliveryKind } from '#lib/channels/alert.ts';
import { AcknowledgementRecord, acknowledgementAt } from '#lib/checks/acknowledgement.ts';
import type { Acknowledgement, NotifiedAlert } from '#lib/checks/check-item.ts';
import { CreatedAt, IdOf, UpdatedAt } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';

/**
 * The incident that people see. Nothing is decided by it: recipients of a failure follow from `NotifiedFailureItem`
 * (lib/alerting/decide/notified-failure.ts), and the entity names the incident that it is part of.
 */

type ImpactOfIncident = 'none' | 'degraded' | 'outage';

/** An incident. Written when it is opened, when people change it, and when it may be over. About 500 bytes. */
export type IncidentItem = Item & {
  v: string;
  tenant_id: string;
  id: string;
  origin: 'automatic' | 'manual';
  title: string;
  impact: ImpactOfIncident;
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
  reports_state: NotifiedAlert['reports_state'] | null;
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

export const Impact = z
  .enum(['none', 'degraded', 'outage'])
  .describe('How bad it is. Of an automatic one, unless somebody said which: outage once all of an entity was down.');

export const IncidentState = z
  .enum(['open', 'acknowledged', 'resolved'])
  .describe('open: nobody looks after it yet. acknowledged: somebody does. resolved: it is over.');
type IncidentState = z.infer<typeof IncidentState>;

const When = z.iso.datetime();

export const IncidentRecord = z
  .object({
    id: IdOf('the incident, the same in alerts'),
    origin: z
      .enum(['automatic', 'manual'])
      .describe('automatic: a check went down. manual: somebody made it, and ends it.'),
    title: z.string().describe('What people call it; of an automatic one at first which entity is down.'),
    state: IncidentState,
    impact: Impact,
    root_entity_id: z.string().nullable().describe('The entity whose failure explains the others; null: manual.'),
    root_entity_name: z.string().nullable().describe('Its name when the incident was opened.'),
    started_at: When.describe('When its first outage began; of a manual one, when it was made.'),
    acknowledged_at: When.nullable().describe('When somebody said that they look after it; null while nobody does.'),
    acknowledged_by: z.string().nullable().describe('Who: an e-mail address, or the label of a key.'),
    resolved_at: When.nullable().describe('The last recovery, or when somebody ended it; null until it is over.'),
    resolved_by: z
      .string()
      .nullable()
      .describe('Who ended it: an e-mail address, the label of a key, or `automatic` where it ended by itself.'),
    hidden: z.boolean().describe('Whether it is kept from the public. Nothing is public yet.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Incident' });
export type IncidentRecord = z.infer<typeof IncidentRecord>;

const ShownEntity = z.object({
  entity_id: IdOf('the entity'),
  entity_name: z.string().describe('Its name; of one that was deleted, as it was.'),
  state: EntityState.describe('Its state now; unknown where it was deleted.'),
  since: When.nullable().describe('Since when it is in that state; null where it was deleted.'),
});

const AffectedItem = z.object({
  entity_id: IdOf('the entity'),
  entity_name: z.string().describe('Its name when it failed.'),
  check_id: IdOf('the check of it that failed last'),
  transition_id: IdOf('the change to down'),
  since: When.describe('When it went down.'),
  alert: AlertDecision.shape.decision.nullable().describe('What became of its alert; null when that is not kept.'),
});

const Affected = z
  .object({
    count: z.int().describe('How many entities beside the root; 1000 where there are more.'),
    items: z.array(AffectedItem).describe('The first 100 of them.'),
  })
  .describe('What fails or failed with the root.');

const NotifiedRecord = z.object({
  channel_type: z.string().describe('What kind of channel it is.'),
  channel_ids: z.array(z.string()).describe('Ids of the channels of that kind that were told in this alert.'),
  delivery_id: IdOf('the first of the deliveries'),
  at: When.describe('When the alert was decided.'),
});

const Unrelated = z.object({
  entity_id: IdOf('the entity'),
  entity_name: z.string().describe('Its name when it failed.'),
  check_id: IdOf('the check'),
  at: When.describe('When it was told by itself.'),
});

const IncidentAcknowledgement = AcknowledgementRecord.omit({ check_id: true, transition_id: true }).meta({
  id: 'IncidentAcknowledgement',
});

export const IncidentDetail = IncidentRecord.extend({
  entities: z.array(ShownEntity).describe('What is part of it, the root first; the first 100.'),
  affected: Affected,
  notified: z
    .array(NotifiedRecord)
    .describe(
      'Who was alerted that something of it is down, without reminders and updates, first alerts first; at most 100.',
    ),
  unrelated: z
    .array(Unrelated)
    .describe('What was thought to fail with the root, and was then told by itself: it is down for another reason.'),
  acknowledgement: IncidentAcknowledgement.nullable().describe('Who looks after it; null while nobody does.'),
}).meta({ id: 'IncidentDetail' });
export type IncidentDetail = z.infer<typeof IncidentDetail>;

/** Who looks after an incident at `now` (epoch ms), as it is shown; null where nobody does. */
export function acknowledgementOf({ acknowledgement }: IncidentItem, now: number) {
  const lasting = acknowledgement && acknowledgementAt({ episode: { transition_id: '', acknowledgement } }, now);
  if (!lasting) return null;
  const { by, via, channel_id = null, at, until, note } = lasting;
  return { by, via, channel_id, at: iso(at), until: until === undefined ? null : iso(until), note };
}

export function stateOf(incident: IncidentItem, now: number): IncidentState {
  if (incident.resolved_at !== undefined) return 'resolved';
  return acknowledgementOf(incident, now) ? 'acknowledged' : 'open';
}

/** An incident as the API shows it at `now` (epoch ms). */
export function incidentRecord(incident: IncidentItem, now: number): IncidentRecord {
  const acknowledgement = acknowledgementOf(incident, now);
  return pick(IncidentRecord, {
    ...incident,
    state: stateOf(incident, now),
    acknowledged_at: acknowledgement?.at ?? null,
    acknowledged_by: acknowledgement?.by ?? null,
    resolved_at: incident.resolved_at ?? null,
    resolved_by: incident.resolved_by ?? null,
  });
}
