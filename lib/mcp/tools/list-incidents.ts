import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { transitionFeed } from '#lib/alerting/explain/transitions.ts';
import { requireEntityById } from '#lib/catalog/store.ts';
import type { IncidentRecord } from '#lib/incidents/incident.ts';
import { incidentList } from '#lib/incidents/list-incidents.ts';
import { gather } from '#lib/platform/http/paging.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import { defineTool, hours, listed, mergeListed, TOOL_PAGE } from './tool.ts';

export const listIncidents = defineTool({
  description:
    'Incidents that are open or have changed recently, each with its root cause, and recent state changes of checks, each with cause and error; both newest first, for all entities or one.',
  input: z.strictObject({
    hours: hours(24).describe('Number of hours to go back'),
    entity_id: z.string().optional().describe('Only this entity, by its id as in list_entities'),
  }),
  run: async (context, { hours, entity_id }) => {
    const since = context.ports.clock.now() - hours * HOUR_MS;
    const entity = entity_id === undefined ? undefined : await requireEntityById(context, entity_id);
    const [page, incidents] = await Promise.all([
      gather(transitionFeed(context, { since }, entity), TOOL_PAGE),
      incidentsSince(context, since, entity_id),
    ]);
    return mergeListed(
      listed('transitions', page, 'Request fewer hours, or GET /v1/status/transitions.'),
      listed('incidents', incidents, 'Request fewer hours, or GET /v1/incidents.'),
    );
  },
});

/** Time (ms) before the range: incidents that opened in this time are returned if they changed within the range. */
const OPENED_BEFORE_MS = 7 * DAY_MS;
const MAX_INCIDENTS = { limit: 100, maxBytes: 200_000 };

/** Returns incidents that are unresolved or changed since then (epoch ms), newest first. `next`: more may exist. */
async function incidentsSince(
  context: Context,
  since: number,
  entity_id: string | undefined,
): Promise<{ values: IncidentRecord[]; next?: string }> {
  const about = entity_id === undefined ? {} : { entity_id };
  const [open, recent] = await Promise.all([
    gather(incidentList(context, { ...about, state: 'unresolved' }), MAX_INCIDENTS),
    gather(incidentList(context, { ...about, since: Math.max(0, since - OPENED_BEFORE_MS) }), MAX_INCIDENTS),
  ]);
  const touched = recent.values.filter(({ updated_at }) => Date.parse(updated_at) >= since);
  const all = new Map([...open.values, ...touched].map((incident) => [incident.id, incident]));
  const values = [...all.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  const next = open.next ?? recent.next;
  return { values, ...(next !== undefined && { next }) };
}
