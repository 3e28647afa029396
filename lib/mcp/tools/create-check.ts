import * as z from 'zod';
import { createCheck } from '#lib/checks/change/change-check.ts';
import { checkView } from '#lib/checks/settings/check-record.ts';
import { defineTool } from './tool.ts';

/** As agents write it; the check's own schema says what is wrong with one. */
const Assertion = z.strictObject({
  source: z.string().describe('status_code, body, json, header, latency_ms or days_left'),
  property: z.string().optional().describe('Of json a path such as $.db.status, of header its name'),
  operator: z.string().describe('equals, one_of, contains, matches, less_than, at_least, exists and others'),
  value: z.unknown().optional().describe('What it is compared with'),
  severity: z.enum(['fail', 'warn']).optional().describe('fail (default) takes the check down, warn degrades it'),
});

/** The rest of an http check has its defaults. */
export const createHttpCheck = defineTool({
  description: 'Register a new HTTP health check on an entity; it is probed within seconds.',
  input: z.strictObject({
    entity_id: z.string().optional().describe('Id of the entity, as in list_entities'),
    entity: z.string().optional().describe('In place of entity_id: blueprint and slug, such as service/shop'),
    target_url: z.string().describe('Full URL, http or https'),
    name: z.string().optional().describe('What alerts call it; without one they name the URL'),
    expected_status: z.int().min(100).max(599).default(200).describe('The one status that counts as success'),
    assertions: z.array(Assertion).max(20).optional().describe('What the answer must be'),
    interval_seconds: z.int().min(1).max(86_400).default(60).describe('How often to check, in seconds'),
  }),
  run: async (context, { assertions, ...settings }) => {
    const config = assertions && { assertions };
    return checkView(
      context,
      await createCheck(context, { check_type: 'http', ...settings, ...(config && { config }) }),
    );
  },
});
