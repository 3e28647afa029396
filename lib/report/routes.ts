import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { entitiesById } from '#lib/catalog/store.ts';
import { addMonths } from '#lib/history/rollups/buckets.ts';
import { invalid } from '#lib/platform/errors.ts';
import { ListQuery, limitParam, listOf } from '#lib/platform/http/paging.ts';
import { wholeParam } from '#lib/platform/http/query-params.ts';
import { route } from '#lib/platform/http/route.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import { reportCsv } from './csv.ts';
import { monthName, monthStart, ReportEntity, reportReader } from './report.ts';

/** Maximum number of entities in a response, and of months; a year of an entity is some 14 read units. */
const MAX_ENTITIES = 100;
const MAX_MONTHS = 12;

export const Month = z.string().regex(/^2\d{3}-(?:0[1-9]|1[0-2])$/, 'must be a month, such as 2026-10');

/** Routes of the report of the fleet. */
export const reportRoutes = [
  route<Context>()({
    method: 'GET',
    path: '/v1/report',
    access: 'read',
    summary: 'Get uptime, incidents and SLOs of all entities by month',
    description: 'Entities by id. With `Accept: text/csv`, a line per entity and month.',
    status: 200,
    query: z.object({
      month: Month.describe('Last month of the report, in UTC: `2026-10`. Default: the current month.').optional(),
      months: wholeParam(1, MAX_MONTHS, 1, 'Number of months, up to and including month.'),
      limit: limitParam(MAX_ENTITIES, MAX_ENTITIES),
      cursor: ListQuery.shape.cursor,
    }),
    reply: z.array(ReportEntity),
    csv: reportCsv,
    run: async (context, request) => {
      const { month = monthName(context.ports.clock.now()), months } = request.query;
      const last = monthStart(month);
      const report = await reportReader(context, { first: addMonths(last, 1 - months), last });
      if (!report) throw invalid('month', rangeOf(context));
      return listOf(`${context.tenant} report ${month} ${months}`, request, async (after, limit) => {
        const { items, next } = await entitiesById(context, { after }, limit);
        return { found: (await report(items)).map((value) => ({ at: value.entity_id, value })), next };
      });
    },
  }),
];

/** Returns the valid months as a sentence. */
function rangeOf({ ports, caller }: Context): string {
  const now = ports.clock.now();
  const first = monthName(now - caller.rollup_days * DAY_MS);
  return `must be from ${first} to ${monthName(now)}: history is kept for ${caller.rollup_days} days`;
}
