import * as z from 'zod';
import { incidentDetail, requireIncident } from '#lib/incidents/list-incidents.ts';
import { updateList } from '#lib/incidents/public-updates.ts';
import { timelineOf } from '#lib/incidents/timeline.ts';
import { gather } from '#lib/platform/http/paging.ts';
import { defineTool, listed } from './tool.ts';

/** Limits of the returned timeline and public updates, so that the result of the tool is not too large. */
const TIMELINE = { limit: 100, maxBytes: 500_000 };
const UPDATES = { limit: 20, maxBytes: 200_000 };

export const getIncident = defineTool({
  description:
    'One incident: root cause, affected entities, notified channels, acknowledgement, its timeline, and its latest 20 public updates, newest first.',
  input: z.strictObject({
    incident_id: z.string().describe('Id of the incident, as in list_incidents or an alert'),
  }),
  run: async (context, { incident_id }) => {
    const incident = await requireIncident(context, incident_id);
    const [detail, page, updates] = await Promise.all([
      incidentDetail(context, incident),
      gather(timelineOf(context, incident), TIMELINE),
      gather(updateList(context, incident), UPDATES),
    ]);
    const more = `For the rest, GET /v1/incidents/${incident.id}/timeline.`;
    return { ...detail, updates: updates.values, ...listed('timeline', page, more) };
  },
});
