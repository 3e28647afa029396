import * as z from 'zod';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { checkHistoryRecords } from '#lib/history/rollups/history-routes.ts';
import { HOUR_MS } from '#lib/platform/time.ts';
import { defineTool } from './tool.ts';

/** Up to so many hours are shown by the hour, up to so many by the day, more by the month: a model reads them all. */
const BY_THE_HOUR = 48;
const BY_THE_DAY = 2_208;
/** Days are kept for 400, unless an account has other rollup_days. */
const MAX_HOURS = 9_600;

export const getHistory = defineTool({
  description:
    'Uptime, failures, gaps and latency percentiles of a check: in all, and by the hour (up to 48 hours), the UTC day (up to 92 days) or the month.',
  input: z.strictObject({
    check_id: z.string().describe('Id of the check, as in get_entity'),
    hours: z.int().min(1).max(MAX_HOURS).default(720).describe('How far back, in hours; 720 are 30 days'),
  }),
  run: async (context, { check_id, hours }) => {
    const check = await requireCheck(context, check_id);
    const bucket = hours <= BY_THE_HOUR ? 'hour' : hours <= BY_THE_DAY ? 'day' : 'month';
    const from = context.ports.clock.now() - hours * HOUR_MS;
    const [history] = await checkHistoryRecords(context, [check], { bucket, from });
    return history!;
  },
});
