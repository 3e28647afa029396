import * as z from 'zod';
import { addNote, NewNote } from '#lib/incidents/change-incident.ts';
import { requireIncident } from '#lib/incidents/list-incidents.ts';
import { entryView } from '#lib/incidents/timeline.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { defineTool } from './tool.ts';

export const addIncidentNote = defineTool({
  description: 'Add a note to the timeline of an incident. Sends no alerts.',
  input: z.strictObject({
    incident_id: z.string().describe('Id of the incident, as in list_incidents or an alert'),
    text: z.string().describe('Text of 1 to 4,000 characters; line breaks are kept'),
  }),
  run: async (context, { incident_id, ...body }) => {
    const incident = await requireIncident(context, incident_id);
    return entryView(context, await addNote(context, incident, parse(NewNote, body)));
  },
});
