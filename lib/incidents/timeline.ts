import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import { CheckState, EntityState } from '#lib/catalog/states.ts';
import { AlertUrgency, DeliveryKind } from '#lib/channels/alert.ts';
import type { Env } from '#lib/env.ts';
import { INCIDENT_ENTRIES, under } from '#lib/keys.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import type { Write } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { expiryOf, type IncidentItem, type TimelineItem } from './incident.ts';

const Changed = z
  .object({
    transition_id: IdOf('the transition'),
    entity_id: IdOf('the entity'),
    entity_name: z.string().describe('Its name at that moment.'),
    check_id: IdOf('the check'),
    check_label: z.string().describe('Name of the check, or its target.'),
    check_from_state: CheckState.describe('State of the check before.'),
    check_to_state: CheckState.describe('State of the check after.'),
    to_state: EntityState.describe('State of the entity after.'),
    error_message: z.string().describe('Error or warning of the deciding result; empty when none.'),
  })
  .meta({ id: 'IncidentChange' });

const Alerted = z
  .object({
    alert_id: IdOf('the alert'),
    alert_kind: DeliveryKind.describe('What kind of alert it was, as in the delivery log.'),
    urgency: AlertUrgency.describe('low: it need not wake anybody.'),
    check_id: IdOf('the check'),
    entity_id: IdOf('the entity'),
    reports_state: CheckState.exclude(['unknown']).nullable().describe('The state of the check that it reports.'),
    root_entity_id: z.string().nullable().describe('The entity that it names as the cause; null: none.'),
    to: z
      .array(
        z.object({
          channel_id: IdOf('the channel'),
          channel_type: z.string().describe('What kind of channel it is.'),
          delivery_id: IdOf('the delivery'),
        }),
      )
      .describe('Whom it went to.'),
  })
  .meta({ id: 'IncidentAlert' });

/** Something that happened in an incident, on the wire. */
export const TimelineEntry = z
  .object({
    id: z.string().describe('Names it within the incident: the id of what it tells of.'),
    at: z.iso.datetime().describe('When it happened.'),
    kind: z
      .enum(['opened', 'joined', 'transition', 'alert', 'escalated', 'acknowledged', 'note', 'resolved'])
      .describe(
        'opened: by this failure. joined: another failure turned out to be part of it. transition: a check changed its state. alert: somebody was told. escalated: a step of an escalation called somebody. acknowledged: somebody looks after it. note: somebody wrote something down. resolved: it is over.',
      ),
    by: z.string().nullable().describe('Who did it: an e-mail address, the label of a key, or `automatic`; else null.'),
    text: z.string().describe('Of a note, and of an acknowledgement: what they wrote; else empty.'),
    transition: Changed.nullable().describe('The change of a check; null where it is none.'),
    alert: Alerted.nullable().describe('The alert; null where it is none.'),
  })
  .meta({ id: 'IncidentTimelineEntry' });
export type TimelineEntry = z.infer<typeof TimelineEntry>;

/** What happened in an incident, newest first. Whoever may only read sees no URL in an error. */
export function timelineOf(context: Context, { id }: Pick<IncidentItem, 'id'>): Reader<TimelineEntry> {
  const { ports, keys, tenant } = context;
  const partition = keys.ofIncident(tenant, id);
  return async (after, limit) => {
    const { items, next } = await ports.table.query<TimelineItem>({
      ...{ partition, ...under(INCIDENT_ENTRIES), descending: true, limit, after },
    });
    return { found: items.map((item) => ({ at: item.sk, value: entryView(context, item) })), next };
  };
}

/** An entry as the caller may see it. */
export function entryView({ caller }: Pick<Context, 'caller'>, item: TimelineItem): TimelineEntry {
  const { id, at, kind, by = null, text = '', transition, alert } = item;
  const shown = (error: string) => (seesSecrets(caller) ? error : redactUrls(error));
  return {
    ...{ id, at, kind, by, text },
    transition: transition ? { ...transition, error_message: shown(transition.error_message) } : null,
    alert: alert ?? null,
  };
}

/** What somebody did with an incident, or it did by itself. */
type Done = Pick<TimelineItem, 'id' | 'at' | 'kind' | 'by' | 'text'>;

/** An entry of the timeline that no transition and no alert brings. */
export function timelineEntry({ keys }: Pick<Env, 'keys'>, incident: IncidentItem, done: Done): TimelineItem {
  const at = Date.parse(done.at);
  return {
    ...keys.incidentEntry(incident.tenant_id, incident.id, at, done.id),
    ...{ v: done.id, expires_at: expiryOf(at), ...done },
  };
}

/** The writes that end an incident: itself, its entry, and its place among those that are not over. */
export function resolvedWrites(
  env: Env,
  incident: IncidentItem,
  end: { resolved_at: string; resolved_by: string },
): Write[] {
  const { ports, keys } = env;
  const now = ports.clock.now();
  const updated_at = iso(now);
  const put: IncidentItem = { ...incident, ...end, v: ports.ids.token(), updated_at, expires_at: expiryOf(now) };
  const done = { id: ports.ids.id('evt'), at: updated_at, kind: 'resolved' as const, by: end.resolved_by };
  return [
    { put, if: { version: incident.v } },
    { put: timelineEntry(env, incident, done) },
    { delete: keys.openIncident(incident.tenant_id, incident.id) },
  ];
}
