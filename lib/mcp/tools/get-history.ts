import * as z from 'zod';
import { requireCheck } from '#lib/checks/store.ts';
import { checkHistoryRecords } from '#lib/health/rollups/history-routes.ts';
import { defineTool, READS } from './tool.ts';

const HOUR_MS = 3_600_000;
/** Up to so many hours are shown by the hour, more by the day. */
const BY_THE_HOUR = 48;
/** Days are kept for 400. */
const MOST_HOURS = 9_600;

export const getHistory = defineTool({
  name: 'get_history',
  description:
    'Uptime, failures, gaps and latency percentiles of a check over hours, days or months: in all, and by the hour (up to 48 hours) or by the UTC day.',
  annotations: READS,
  input: z.strictObject({
    check_id: z.string().describe('Id of the check, as in get_entity'),
    hours: z.int().min(1).max(MOST_HOURS).default(720).describe('How far back, in hours; 720 are 30 days'),
  }),
  run: async (context, input) => {
    const check = await requireCheck(context, input.check_id);
    const bucket = input.hours <= BY_THE_HOUR ? 'hour' : 'day';
    const from = context.ports.clock.now() - input.hours * HOUR_MS;
    const [history] = await checkHistoryRecords(context, [check], { bucket, from });
    return history!;
  },
});
