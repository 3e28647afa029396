import * as z from 'zod';
import { checkRecord } from '#lib/checks/check-record.ts';
import { createCheck } from '#lib/health/checks/change-check.ts';
import { defineTool } from './tool.ts';

/** The rest of an http check has its defaults. */
export const createHttpCheck = defineTool({
  name: 'create_check',
  description: 'Register a new HTTP health check on an entity; it is probed within seconds.',
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  access: 'write',
  input: z.strictObject({
    entity_id: z.string().describe('Id of the entity, as in list_entities'),
    target_url: z.string().describe('Full URL, http or https, that must answer 200'),
    interval_seconds: z.int().min(1).max(86_400).default(60).describe('How often to check, in seconds'),
  }),
  run: async (context, input) => checkRecord(await createCheck(context, { check_type: 'http', ...input }), context),
});
