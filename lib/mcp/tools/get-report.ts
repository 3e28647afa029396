import * as z from 'zod';
import { gather } from '#lib/platform/http/paging.ts';
import { MAX_ENTITIES, MAX_MONTHS, Month, reportList } from '#lib/report/report.ts';
import { defineTool, listed, TOOL_PAGE } from './tool.ts';

export const getReport = defineTool({
  description:
    'Report of the fleet by calendar month (UTC): for each entity its uptime, downtime, incidents and SLOs. null means no data, not 100 %.',
  input: z.strictObject({
    month: Month.optional().describe('Latest month of the report, such as 2026-10; default: the current month'),
    months: z.int().min(1).max(MAX_MONTHS).default(1).describe('Number of months, up to and including that month'),
  }),
  run: async (context, { month, months }) => {
    const page = { ...TOOL_PAGE, limit: Math.min(TOOL_PAGE.limit, MAX_ENTITIES) };
    const found = await gather(await reportList(context, { month, months }), page);
    return listed('entities', found, 'The API lists all of them page by page: GET /v1/report.');
  },
});
