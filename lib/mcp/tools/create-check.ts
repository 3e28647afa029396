import * as z from 'zod';
import { shownCheck } from '#lib/checks/entity-of-check.ts';
import { createCheck } from '#lib/health/checks/change-check.ts';
import { defineTool } from './tool.ts';

/** The rest of an http check has its defaults. */
export const createHttpCheck = defineTool({
  name: 'create_check',
  description: 'Register a new HTTP health check on an entity; it is probed within seconds.',
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  access: 'write',
  input: z.strictObject({
    entity_id: z.string().optional().describe('Id of the entity, as in list_entities'),
    entity: z.string().optional().describe('In place of entity_id: blueprint and slug, such as service/shop'),
    target_url: z.string().describe('Full URL, http or https'),
    name: z.string().optional().describe('What alerts call it; without one they name the URL'),
    expected_status: z.int().min(100).max(599).default(200).describe('The one status that counts as success'),
    interval_seconds: z.int().min(1).max(86_400).default(60).describe('How often to check, in seconds'),
  }),
  run: async (context, input) => shownCheck(context, await createCheck(context, { check_type: 'http', ...input })),
});
