import * as z from 'zod';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { AcknowledgeBody, acknowledgeAs } from '#lib/incidents/acknowledge.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { defineTool } from './tool.ts';

export const acknowledgeAlert = defineTool({
  description:
    'Acknowledge the failure of a check: notifies the recipients of its alert, and stops reminders and escalation until the check is up again. If the failure is already acknowledged, changes nothing and returns that acknowledgement.',
  input: z.strictObject({
    check_id: z.string().describe('Id of the check, as in get_entity'),
    until: z
      .string()
      .optional()
      .describe('End of the acknowledgement, an ISO 8601 time; default: when the check is up again'),
    note: z.string().optional().describe('Human-readable note, such as the work in progress'),
  }),
  run: async (context, { check_id, ...body }) => {
    const check = await requireCheck(context, check_id);
    return acknowledgeAs(context, check, parse(AcknowledgeBody, body));
  },
});
