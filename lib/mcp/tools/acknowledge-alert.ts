import * as z from 'zod';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { AcknowledgeBody, acknowledgeAs } from '#lib/incidents/acknowledge.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { defineTool } from './tool.ts';

export const acknowledgeAlert = defineTool({
  description:
    'Say that you look after a check that is down: no reminder is sent, nobody else is called, and whoever was told hears so, until it is up again. The first acknowledgement of a failure stays.',
  input: z.strictObject({
    check_id: z.string().describe('Id of the check, as in get_entity'),
    until: z
      .string()
      .optional()
      .describe('When it ends by itself, an ISO 8601 time; default: when the check is up again'),
    note: z.string().optional().describe('For people: what is being done'),
  }),
  run: async (context, { check_id, ...body }) => {
    const check = await requireCheck(context, check_id);
    return acknowledgeAs(context, check, parse(AcknowledgeBody, body));
  },
});
