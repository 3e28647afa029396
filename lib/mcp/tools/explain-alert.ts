import * as z from 'zod';
import { explainCheck } from '#lib/alerting/explain/explain.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { invalid } from '#lib/platform/errors.ts';
import { parseInstant } from '#lib/platform/instant.ts';
import { defineTool } from './tool.ts';

export const explainAlert = defineTool({
  description:
    'Explain why an alert was or was not sent for a check at a time: one sentence, every alert rule with its input, and the results, gaps and deliveries around that time.',
  input: z.strictObject({
    check_id: z.string().describe('Id of the check, as in get_entity'),
    at: z.string().optional().describe('Time, ISO 8601 such as 2026-11-21T05:16:40Z; default: now'),
  }),
  run: async (context, { check_id, at }) => {
    const check = await requireCheck(context, check_id);
    const time = at === undefined ? context.ports.clock.now() : parseInstant(at);
    if (time === undefined) throw invalid('at', 'must be an ISO 8601 time, such as 2026-11-21T05:16:40Z');
    return explainCheck(context, check, time);
  },
});
