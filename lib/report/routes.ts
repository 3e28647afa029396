import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { ListQuery, limitParam, listOf } from '#lib/platform/http/paging.ts';
import { wholeParam } from '#lib/platform/http/query-params.ts';
import { route } from '#lib/platform/http/route.ts';
import { reportCsv } from './csv.ts';
import { MAX_ENTITIES, MAX_MONTHS, Month, ReportEntity, reportList } from './report.ts';

export const reportRoutes = [
  route<Context>()({
    method: 'GET',
    path: '/v1/report',
    access: 'read',
    summary: 'Get uptime, incidents and SLOs of all entities by month',
    description: 'Sorted by entity id. `Accept: text/csv` returns CSV with a line per entity and month.',
    status: 200,
    query: z.object({
      month: Month.describe('Last month of the report, in UTC: `2026-10`. Default: the current month.').optional(),
      months: wholeParam(1, MAX_MONTHS, 1, 'Number of months, counted back from `month`.'),
      limit: limitParam(MAX_ENTITIES, MAX_ENTITIES),
      cursor: ListQuery.shape.cursor,
    }),
    reply: z.array(ReportEntity),
    csv: reportCsv,
    run: async (context, request) => {
      const { month, months } = request.query;
      const scope = `${context.tenant} report ${month ?? ''} ${months}`;
      return listOf(scope, request, await reportList(context, { month, months }));
    },
  }),
];
