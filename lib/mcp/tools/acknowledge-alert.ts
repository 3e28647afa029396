import * as z from 'zod';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { AcknowledgeBody, acknowledgeAs } from '#lib/incidents/acknowledge.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { defineTool } from './tool.ts';

export const acknowledgeAlert = defineTool({
  description:
    'Acknowledge a failure: notifies the recipients, and stops reminders and escalation until the check is up again. The first acknowledgement of a failure is kept.',
  input: z.strictObject({
    check_id: z.string().describe('Id of the check, as in get_entity'),
    until: z
      .string()
      .optional()
      .describe('End of the acknowledgement, an ISO 8601 time; default: when the check is up again'),
    note: z.string().optional().describe('Human-readable note on what is being done'),
  }),
  run: async (context, { check_id, ...body }) => {
    const check = await requireCheck(context, check_id);
    return acknowledgeAs(context, check, parse(AcknowledgeBody, body));
  },
});
