import * as z from 'zod';
import { explainCheck } from '#lib/alerting/explain/explain.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { invalid } from '#lib/platform/errors.ts';
import { parseInstant } from '#lib/platform/instant.ts';
import { defineTool } from './tool.ts';

export const explainAlert = defineTool({
  description:
    'Why somebody was told of a check at a moment, or nobody was: one sentence, then every rule of alerting with what it looked at, the results, gaps and deliveries around that moment.',
  input: z.strictObject({
    check_id: z.string().describe('Id of the check, as in get_entity'),
    at: z.string().optional().describe('The moment, an ISO 8601 time such as 2026-11-21T05:16:40Z; default: now'),
  }),
  run: async (context, { check_id, at }) => {
    const check = await requireCheck(context, check_id);
    const moment = at === undefined ? context.ports.clock.now() : parseInstant(at);
    if (moment === undefined) throw invalid('at', 'must be an ISO 8601 time, such as 2026-11-21T05:16:40Z');
    return explainCheck(context, check, moment);
  },
});
