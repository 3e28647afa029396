import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import { CheckState, EntityState } from '#lib/catalog/states.ts';
import { AlertKind, AlertUrgency } from '#lib/channels/alert.ts';
import type { Env } from '#lib/env.ts';
import { INCIDENT_ENTRIES, under } from '#lib/keys.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import type { Write } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { expiryOf, type IncidentItem, type TimelineItem } from './incident.ts';

const TimelineTransition = z
  .object({
    transition_id: IdOf('the transition'),
    entity_id: IdOf('the entity'),
    entity_name: z.string().describe('Name of the entity at the time.'),
    check_id: IdOf('the check'),
    check_label: z.string().describe('Name of the check, or its target.'),
    check_from_state: CheckState.describe('State of the check before the transition.'),
    check_to_state: CheckState.describe('State of the check after.'),
    to_state: EntityState.describe('State of the entity after.'),
    error_message: z.string().describe('Error or warning of the deciding result; empty without one.'),
  })
  .meta({ id: 'IncidentChange' });

const TimelineAlert = z
  .object({
    alert_id: IdOf('the alert'),
    alert_kind: AlertKind,
    urgency: AlertUrgency.describe('high: urgent. low: can wait.'),
    check_id: IdOf('the check'),
    entity_id: IdOf('the entity'),
    reports_state: CheckState.exclude(['unknown']).nullable().describe('State of the check that the alert reports.'),
    root_entity_id: z.string().nullable().describe('Root cause that the alert names; null without one.'),
    to: z
      .array(
        z.object({
          channel_id: IdOf('the channel'),
          channel_type: z.string().describe('Channel type.'),
          delivery_id: IdOf('the delivery'),
        }),
      )
      .describe('Recipients.'),
  })
  .meta({ id: 'IncidentAlert' });

export const TimelineEntry = z
  .object({
    id: z.string().describe('Id of the event, unique within the incident.'),
    at: z.iso.datetime().describe('Time of the event.'),
    kind: z
      .enum(['opened', 'joined', 'transition', 'alert', 'escalated', 'acknowledged', 'note', 'update', 'resolved'])
      .describe(
        'opened: this failure or a user opened it. joined: another failure turned out to belong to it. transition: a check changed state. alert: an alert was sent. escalated: an escalation step was sent. acknowledged: a user acknowledged it. note: a user added a note. update: a user published an update. resolved: it is over.',
      ),
    by: z
      .string()
      .nullable()
      .describe(
        'Author: e-mail address, label of the key, or `automatic`; for a link, the entered name and the channel; null without one.',
      ),
    text: z.string().describe('Text of a note or an acknowledgement, status of a public update; else empty.'),
    transition: TimelineTransition.nullable().describe('Change of a check; else null.'),
    alert: TimelineAlert.nullable().describe('Alert; else null.'),
  })
  .meta({ id: 'IncidentTimelineEntry' });
export type TimelineEntry = z.infer<typeof TimelineEntry>;

/** Reads the timeline of an incident, newest first. URLs in errors are removed for callers without write access. */
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

export function entryView({ caller }: Pick<Context, 'caller'>, item: TimelineItem): TimelineEntry {
  const { id, at, kind, by = null, text = '', transition, alert } = item;
  const shown = (error: string) => (seesSecrets(caller) ? error : redactUrls(error));
  return {
    ...{ id, at, kind, by, text },
    transition: transition ? { ...transition, error_message: shown(transition.error_message) } : null,
    alert: alert ?? null,
  };
}

/** An event with neither a transition nor an alert. */
type PlainEvent = Pick<TimelineItem, 'id' | 'at' | 'kind' | 'by' | 'text'>;

export function entryOfEvent({ keys }: Pick<Env, 'keys'>, incident: IncidentItem, event: PlainEvent): TimelineItem {
  const at = Date.parse(event.at);
  return {
    ...keys.incidentEntry(incident.tenant_id, incident.id, at, event.id),
    ...{ v: event.id, expires_at: expiryOf(at), ...event },
  };
}

/** Returns the writes that resolve an incident: record, timeline entry, and removal from the unresolved incidents. */
export function resolvedWrites(
  env: Env,
  incident: IncidentItem,
  end: { resolved_at: string; resolved_by: string },
): Write[] {
  const { ports, keys } = env;
  const now = ports.clock.now();
  const updated_at = iso(now);
  const put: IncidentItem = { ...incident, ...end, v: ports.ids.token(), updated_at, expires_at: expiryOf(now) };
  const event = { id: ports.ids.id('evt'), at: updated_at, kind: 'resolved' as const, by: end.resolved_by };
  return [
    { put, if: { version: incident.v } },
    { put: entryOfEvent(env, incident, event) },
    { delete: keys.unresolvedIncident(incident.tenant_id, incident.id) },
  ];
}
