import * as z from 'zod';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { checkHistoryRecords } from '#lib/history/rollups/history-routes.ts';
import { HOUR_MS } from '#lib/platform/time.ts';
import { defineTool } from './tool.ts';

/** Maximum hours shown by hour and by day, because a model reads all buckets. Longer ranges are shown by month. */
const MAX_BY_HOUR = 48;
const MAX_BY_DAY = 2_208;
/** 400 days, the default of rollup_days. */
const MAX_HOURS = 9_600;

export const getHistory = defineTool({
  description:
    'Uptime, failures, gaps and latency percentiles of a check: in total, and by hour (up to 48 hours), UTC day (up to 92 days) or month.',
  input: z.strictObject({
    check_id: z.string().describe('Id of the check, as in get_entity'),
    hours: z.int().min(1).max(MAX_HOURS).default(720).describe('Number of hours to go back; 720 are 30 days'),
  }),
  run: async (context, { check_id, hours }) => {
    const check = await requireCheck(context, check_id);
    const bucket = hours <= MAX_BY_HOUR ? 'hour' : hours <= MAX_BY_DAY ? 'day' : 'month';
    const from = context.ports.clock.now() - hours * HOUR_MS;
    const [history] = await checkHistoryRecords(context, [check], { bucket, from });
    return history!;
  },
});
