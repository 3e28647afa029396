import * as z from 'zod';
import { AlertDecision } from '#lib/alerting/decide/transition.ts';
import { type CheckState, EntityState } from '#lib/catalog/states.ts';
import type { AlertKind, AlertUrgency } from '#lib/channels/alert.ts';
import { AcknowledgementRecord, acknowledgementAt } from '#lib/checks/acknowledgement.ts';
import type { Acknowledgement, NotifiedAlert } from '#lib/checks/check-item.ts';
import { CreatedAt, IdOf, UpdatedAt } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';

// The record that users see. No alert depends on it: recipients are in `NotifiedFailureItem`.

type ImpactOfIncident = 'none' | 'degraded' | 'outage';

/** An incident, about 500 bytes. Written when it is opened, changed, resolved, or scheduled for a recheck. */
export type IncidentItem = Item & {
  v: string;
  tenant_id: string;
  id: string;
  origin: 'automatic' | 'manual';
  title: string;
  impact: ImpactOfIncident;
  /** Set if a user chose the impact; transitions then do not change it. */
  impact_is_set?: true;
  /** Automatic: the entity that is the root cause. */
  root_entity_id: string | null;
  root_entity_name: string | null;
  /** Manual: affected entities. */
  entity_ids?: string[];
  started_at: string;
  acknowledgement?: Acknowledgement;
  resolved_at?: string;
  /** E-mail address of the user, label of the key, or `automatic`. */
  resolved_by?: string;
  hidden: boolean;
  /** Title on status pages; absent: made from the names of the components. */
  public_title?: string;
  /** Affected components that users chose. Status pages also show incidents with the entity of a component. */
  component_ids?: string[];
  /** Status of the newest public update, and number of updates; absent without one. */
  public_status?: UpdateStatus;
  updates?: number;
  /** Number of notes in its timeline; absent without notes. */
  notes?: number;
  created_at: string;
  updated_at: string;
  /** Epoch ms of the pending recheck. */
  recheck_at?: number;
};

/** Ids of the unresolved manual incidents of an account, about 3 KB for the maximum. */
export type ManualIncidentsItem = Item & { v: string; ids: string[] };

/** An entity in an incident, as of its latest transition; `seq` orders transitions that arrive late. 400 bytes. */
export type IncidentEntity = Item & {
  v: string;
  entity_id: string;
  entity_name: string;
  /** Sequence number and time (epoch ms) of the latest transition. */
  seq: number;
  at: number;
  down_checks: number;
  failure?: { seq: number; check_id: string; transition_id: string; transition_sk: string; since: string };
};

type TimelineTransition = {
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

type TimelineAlert = {
  alert_id: string;
  alert_kind: AlertKind;
  urgency: AlertUrgency;
  check_id: string;
  entity_id: string;
  reports_state: NotifiedAlert['reports_state'] | null;
  /** The root cause that the alert names. */
  root_entity_id: string | null;
  to: { channel_id: string; channel_type: string; delivery_id: string }[];
};

type EntryKind =
  | 'opened'
  | 'joined'
  | 'transition'
  | 'alert'
  | 'escalated'
  | 'acknowledged'
  | 'note'
  | 'update'
  | 'resolved';

/** An event of an incident. About 400 bytes; written once. */
export type TimelineItem = Item & {
  v: string;
  id: string;
  at: string;
  kind: EntryKind;
  by?: string;
  text?: string;
  transition?: TimelineTransition;
  alert?: TimelineAlert;
};

/** Retention of an incident and its items in ms. */
const KEPT_MS = 400 * DAY_MS;

/** Returns the expiry of an item written now (epoch seconds). */
export const expiryOf = (now: number): number => Math.ceil((now + KEPT_MS) / 1000);

export const Impact = z
  .enum(['none', 'degraded', 'outage'])
  .describe(
    'Severity. Automatic incidents: outage once all checks of an entity were down, else degraded, unless a user sets it.',
  );

export const UpdateStatus = z
  .enum(['investigating', 'identified', 'monitoring', 'resolved'])
  .describe(
    'investigating: the cause is unknown. identified: the cause is known. monitoring: a fix is in place. resolved: it is over.',
  );
export type UpdateStatus = z.infer<typeof UpdateStatus>;

export const IncidentState = z
  .enum(['open', 'acknowledged', 'resolved'])
  .describe('open: not acknowledged. acknowledged: being handled. resolved: over.');
type IncidentState = z.infer<typeof IncidentState>;

const When = z.iso.datetime();

export const IncidentRecord = z
  .object({
    id: IdOf('the incident, the same in alerts'),
    origin: z
      .enum(['automatic', 'manual'])
      .describe('automatic: opened when a check went down. manual: opened and resolved by a user.'),
    title: z.string().describe('Title. For an automatic incident, initially the name of the root cause and "is down".'),
    state: IncidentState,
    impact: Impact,
    root_entity_id: z.string().nullable().describe('Entity that is the root cause; null for a manual incident.'),
    root_entity_name: z.string().nullable().describe('Name of that entity when the incident was opened.'),
    started_at: When.describe('Start of its first failure; for a manual incident, time of its creation.'),
    acknowledged_at: When.nullable().describe('Time of the acknowledgement; null without one.'),
    acknowledged_by: z
      .string()
      .nullable()
      .describe('E-mail address, label of the key, or, by a link, the entered name and the channel; null without one.'),
    resolved_at: When.nullable().describe(
      'Time of the last recovery; for a manual incident, time at which a user resolved it. Null until resolved.',
    ),
    resolved_by: z
      .string()
      .nullable()
      .describe('E-mail address, label of the key, or `automatic`; null until resolved.'),
    hidden: z.boolean().describe('Whether status pages and feeds omit it.'),
    public_title: z
      .string()
      .nullable()
      .describe('Title on status pages; null: made from the names of the components. `title` is never public.'),
    public_status: UpdateStatus.nullable().describe(
      'Status of the newest public update; `resolved` once the incident is resolved. Null without updates.',
    ),
    component_ids: z
      .array(z.string())
      .describe('Affected components of status pages, besides the components of its entities.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Incident' });
export type IncidentRecord = z.infer<typeof IncidentRecord>;

const ShownEntity = z.object({
  entity_id: IdOf('the entity'),
  entity_name: z.string().describe('Name; for a deleted entity, its last known name.'),
  state: EntityState.describe('Current state; unknown for a deleted entity.'),
  since: When.nullable().describe('Start of that state; null for a deleted entity.'),
});

const AffectedItem = z.object({
  entity_id: IdOf('the entity'),
  entity_name: z.string().describe('Name at its latest state change in the incident.'),
  check_id: IdOf('the check that failed last'),
  transition_id: IdOf('the change to down'),
  since: When.describe('Time at which that check went down.'),
  alert: AlertDecision.shape.decision
    .nullable()
    .describe('Decision about the alert of that change; null if it is no longer stored.'),
});

const Affected = z
  .object({
    count: z.int().describe('Number of entities except the root cause, up to 1,000.'),
    items: z.array(AffectedItem).describe('The first 100 of them.'),
  })
  .describe('Failures attributed to the root cause.');

const NotifiedRecord = z.object({
  channel_type: z.string().describe('Channel type.'),
  channel_ids: z.array(z.string()).describe('Ids of the notified channels of that type.'),
  delivery_id: IdOf('the first of the deliveries'),
  at: When.describe('Time of the alert decision.'),
});

const Unrelated = z.object({
  entity_id: IdOf('the entity'),
  entity_name: z.string().describe('Name when it failed.'),
  check_id: IdOf('the check'),
  at: When.describe('Time of its own alert.'),
});

const IncidentAcknowledgement = AcknowledgementRecord.omit({ check_id: true, transition_id: true }).meta({
  id: 'IncidentAcknowledgement',
});

export const IncidentDetail = IncidentRecord.extend({
  entities: z.array(ShownEntity).describe('Entities of the incident, the root cause first, up to 100.'),
  affected: Affected,
  notified: z
    .array(NotifiedRecord)
    .describe('Channels notified of its failures, oldest first, up to 100; without alerts of kind reminder or impact.'),
  unrelated: z.array(Unrelated).describe('Failures first attributed to the root cause and later alerted separately.'),
  resolves_at: When.nullable().describe(
    'Time at which it resolves if nothing fails again; null while a check is down, if resolved, and for a manual incident.',
  ),
  acknowledgement: IncidentAcknowledgement.nullable().describe('Acknowledgement; null without one.'),
}).meta({ id: 'IncidentDetail' });
export type IncidentDetail = z.infer<typeof IncidentDetail>;

/** Returns the acknowledgement of an incident at `now` (epoch ms); null without one. */
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

/** Returns the status that readers of a status page see; null if nothing was published. */
const publicStatusOf = ({ public_status, resolved_at }: IncidentItem): UpdateStatus | null =>
  public_status !== undefined && resolved_at !== undefined ? 'resolved' : (public_status ?? null);

/** Returns an incident as the API shows it at `now` (epoch ms). */
export function incidentRecord(incident: IncidentItem, now: number): IncidentRecord {
  const acknowledgement = acknowledgementOf(incident, now);
  return pick(IncidentRecord, {
    ...incident,
    state: stateOf(incident, now),
    acknowledged_at: acknowledgement?.at ?? null,
    acknowledged_by: acknowledgement?.by ?? null,
    resolved_at: incident.resolved_at ?? null,
    resolved_by: incident.resolved_by ?? null,
    public_title: incident.public_title ?? null,
    public_status: publicStatusOf(incident),
    component_ids: incident.component_ids ?? [],
  });
}
