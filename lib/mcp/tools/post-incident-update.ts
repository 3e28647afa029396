import * as z from 'zod';
import { requireIncident } from '#lib/incidents/list-incidents.ts';
import { NewPublicUpdate, publishUpdate, updateView } from '#lib/incidents/public-updates.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { defineTool } from './tool.ts';

export const postIncidentUpdate = defineTool({
  description:
    'Publish an update of an incident on public status pages, where customers read it. The status resolved also resolves the incident. Ask the user before you publish.',
  input: z.strictObject({
    incident_id: z.string().describe('Id of the incident, as in list_incidents or an alert'),
    status: NewPublicUpdate.shape.status,
    message: z.string().describe('Plain text for customers, 1 to 4,000 characters; line breaks are kept'),
    component_ids: z
      .array(z.string())
      .optional()
      .describe('Ids of affected components of status pages; omit for all pages that show the incident'),
    notify: z.boolean().describe('Whether to notify subscribers; ask the user if not stated'),
  }),
  run: async (context, { incident_id, ...body }) => {
    const incident = await requireIncident(context, incident_id);
    return updateView(await publishUpdate(context, incident, parse(NewPublicUpdate, body)));
  },
});
