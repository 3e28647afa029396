import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { retentionStart } from '#lib/access/retention.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { findGaps, GapRecord, gapRecord } from '#lib/history/results/gaps.ts';
import { resultList } from '#lib/history/results/list-results.ts';
import { readSparkline, Sparkline } from '#lib/history/rollups/sparkline.ts';
import { invalid } from '#lib/platform/errors.ts';
import {
  decodeCursor,
  encodeCursor,
  gather,
  ListQuery,
  limitParam,
  listReply,
  Position,
} from '#lib/platform/http/paging.ts';
import { wholeParam } from '#lib/platform/http/query-params.ts';
import { route } from '#lib/platform/http/route.ts';
import { Instant } from '#lib/platform/instant.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import { ResultRecord } from '#lib/results/result-record.ts';
import { Health, readHealth } from './service-health.ts';
import { readStatus, Status, StatusFilter } from './status.ts';

const endpoint = route<Context>();

export const statusRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/status',
    access: 'read',
    summary: 'List entities and their states, and count the states',
    description: 'Counts cover all pages.',
    status: 200,
    query: StatusFilter.extend({
      ...ListQuery.shape,
      counts: z
        .enum(['true', 'false'])
        .default('true')
        .describe(
          'Whether to count the states of all matching entities, which reads them all. The link to the next page sets false.',
        ),
    }),
    reply: Status,
    errors: ['NOT_FOUND'],
    run: async (context, { query, url }) => {
      const scope = `${context.tenant} status`;
      const after = decodeCursor(scope, query.cursor, Position);
      const { status, next } = await readStatus(context, {
        after,
        limit: query.limit,
        counts: query.counts === 'true',
        wanted: pick(StatusFilter, query),
      });
      const search = new URLSearchParams(url.search);
      search.set('counts', 'false');
      return listReply(status, { ...url, search }, next === undefined ? undefined : encodeCursor(scope, next));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/health',
    access: 'open',
    summary: 'Get the health of the service',
    status: 200,
    reply: Health,
    run: (context) => readHealth(context),
  }),
];

const loadCheck = (context: Context, { id }: { id: string }) => requireCheck(context, id);

export const resultRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/checks/{id}/results',
    access: 'read',
    summary: 'List results of a check, newest first',
    status: 200,
    query: z.object({
      limit: limitParam(50, 500),
      cursor: z.string().optional().describe('next_cursor of the previous response.'),
      since: Instant.optional().describe('Only results checked at or after this ISO 8601 time.'),
      until: Instant.optional().describe('Only results checked before this ISO 8601 time.'),
    }),
    reply: z
      .object({
        results: z.array(ResultRecord).describe('Results, newest first.'),
        next_cursor: z.string().nullable().describe('Cursor of the next page; null on the last page.'),
      })
      .meta({ id: 'Results' }),
    load: loadCheck,
    run: async (context, { loaded, query, url }) => {
      const scope = `${context.tenant} results ${loaded.id}`;
      const after = decodeCursor(scope, query.cursor, Position);
      const page = await gather(await resultList(context, loaded, query), { after, limit: query.limit });
      const cursor = page.next === undefined ? undefined : encodeCursor(scope, page.next);
      return listReply({ results: page.values, next_cursor: cursor ?? null }, url, cursor);
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/checks/{id}/gaps',
    access: 'read',
    summary: 'List gaps of a check, oldest first',
    description: 'A gap is time in which the check was due but not monitored. Default range: the last 24 hours.',
    status: 200,
    query: ListQuery.extend({
      since: Instant.optional().describe('Only slots due at or after this time. Default: one day before until.'),
      until: Instant.optional().describe('Only slots due before this time. Default: now.'),
    }),
    reply: z.array(GapRecord),
    load: loadCheck,
    run: async (context, { loaded, query, url }) => {
      const scope = `${context.tenant} gaps ${loaded.id}`;
      const now = context.ports.clock.now();
      const until = Math.min(query.until ?? now, now);
      const from = Math.max(
        query.since ?? until - DAY_MS,
        decodeCursor(scope, query.cursor, z.int().min(0)) ?? 0,
        retentionStart(now, context.caller.retention_days),
      );
      const { gaps, next } = await findGaps(context, loaded, { from, until }, { gaps: query.limit });
      return listReply(gaps.map(gapRecord), url, next === undefined ? undefined : encodeCursor(scope, next));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/checks/{id}/sparkline',
    access: 'read',
    summary: 'Get uptime, latency and gaps of the last hours',
    status: 200,
    query: z.object({
      hours: wholeParam(1, 1_000_000, 24, 'Number of hours, at most the retention of results.'),
      points: wholeParam(1, 500, 48, 'Number of points of equal length.'),
    }),
    reply: Sparkline,
    load: loadCheck,
    run: (context, { loaded, query }) => {
      const max = context.caller.retention_days * 24;
      if (query.hours > max) throw invalid('hours', `must be at most ${max}, the retention of results in hours`);
      return readSparkline(context, loaded, query);
    },
  }),
];
