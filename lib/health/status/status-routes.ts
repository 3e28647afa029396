import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { transitionFeed } from '#lib/alerting/explain/transitions.ts';
import { requireEntityById } from '#lib/catalog/store.ts';
import { mustBeRange, scopeOf, TransitionRange } from '#lib/health/history/transition-range.ts';
import { TransitionRecord } from '#lib/health/state/transition-record.ts';
import { Health, readHealth } from '#lib/history/status/service-health.ts';
import { readStatus, Status, StatusFilter } from '#lib/history/status/status.ts';
import {
  decodeCursor,
  encodeCursor,
  ListQuery,
  limitParam,
  listOf,
  listReply,
  Position,
} from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';

const row = route<Context>();

/** What there is to read of the whole fleet, and of the service itself. */
export const statusRows = [
  row({
    method: 'GET',
    path: '/v1/status',
    access: 'read',
    summary: 'Entities with their states, and how many are in each; the counts are over all pages',
    status: 200,
    query: StatusFilter.extend({
      ...ListQuery.shape,
      counts: z
        .enum(['true', 'false'])
        .default('true')
        .describe('Whether to count the states of all entities, which reads them all. The next link says false.'),
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
  row({
    method: 'GET',
    path: '/v1/status/transitions',
    access: 'read',
    summary: 'Changes of state across all entities or of one, newest first; or those after one, oldest first',
    status: 200,
    query: TransitionRange.extend({
      entity_id: z.string().optional().describe('Only those of this entity.'),
      ...ListQuery.shape,
      limit: limitParam(50, 1000),
    }),
    reply: z.array(TransitionRecord),
    errors: ['NOT_FOUND'],
    run: async (context, call) => {
      const { entity_id, ...range } = call.query;
      mustBeRange(range);
      const entity = entity_id === undefined ? undefined : await requireEntityById(context, entity_id);
      return listOf(scopeOf(context, 'status', range), call, transitionFeed(context, range, entity));
    },
  }),
  row({
    method: 'GET',
    path: '/v1/health',
    access: 'open',
    summary: 'Whether the service itself works',
    status: 200,
    reply: Health,
    run: (context) => readHealth(context),
  }),
];
