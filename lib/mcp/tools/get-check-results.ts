import * as z from 'zod';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { resultList } from '#lib/history/results/list-results.ts';
import { gather } from '#lib/platform/http/paging.ts';
import { HOUR_MS } from '#lib/platform/time.ts';
import { defineTool, hours, listed, TOOL_PAGE } from './tool.ts';

export const getCheckResults = defineTool({
  description: 'Results of a check, newest first, with latency, outcome, error and warning.',
  input: z.strictObject({
    check_id: z.string().describe('Id of the check, as in get_entity'),
    hours: hours(1).describe('Number of hours to go back'),
  }),
  run: async (context, input) => {
    const check = await requireCheck(context, input.check_id);
    const since = context.ports.clock.now() - input.hours * HOUR_MS;
    const page = await gather(await resultList(context, check, { since }), TOOL_PAGE);
    return listed('results', page, 'Request fewer hours, or GET /v1/checks/{id}/results.');
  },
});
