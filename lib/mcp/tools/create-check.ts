import * as z from 'zod';
import { createCheck } from '#lib/checks/change/change-check.ts';
import { checkView } from '#lib/checks/settings/check-record.ts';
import { defineTool } from './tool.ts';

const Assertion = z.strictObject({
  source: z.string().describe('status_code, body, json, header, latency_ms or days_left'),
  property: z.string().optional().describe('JSON path such as $.db.status, or name of a header'),
  operator: z.string().describe('equals, one_of, contains, matches, less_than, at_least, exists and others'),
  value: z.unknown().optional().describe('Expected value'),
  severity: z.enum(['fail', 'warn']).optional().describe('fail (default) takes the check down, warn degrades it'),
});

export const createHttpCheck = defineTool({
  description: 'Create an HTTP check on an entity; it is probed within seconds.',
  input: z.strictObject({
    entity_id: z.string().optional().describe('Id of the entity, as in list_entities'),
    entity: z.string().optional().describe('Blueprint and slug, such as service/shop, instead of entity_id'),
    target_url: z.string().describe('Full URL, http or https'),
    name: z.string().optional().describe('Name of the check in alerts; default: the URL'),
    expected_status: z.int().min(100).max(599).default(200).describe('Status that counts as success'),
    assertions: z.array(Assertion).max(20).optional().describe('Assertions about the response'),
    interval_seconds: z.int().min(1).max(86_400).default(60).describe('Interval in seconds'),
  }),
  run: async (context, { assertions, ...settings }) => {
    const config = assertions && { assertions };
    return checkView(
      context,
      await createCheck(context, { check_type: 'http', ...settings, ...(config && { config }) }),
    );
  },
});
