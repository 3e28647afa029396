import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { transitionFeed } from '#lib/health/history/list-transitions.ts';
import { TransitionRecord } from '#lib/health/state/transition-record.ts';
import { route } from '#lib/platform/http/route.ts';
import {
  decodeCursor,
  encodeCursor,
  ListQuery,
  limitParam,
  listOf,
  listReply,
  Position,
} from '#lib/platform/table/paging.ts';
import { Health, readHealth } from './service-health.ts';
import { readStatus, Status } from './status.ts';

const row = route<Context>();

/** What there is to read of the whole fleet, and of the service itself. */
export const statusRows = [
  row({
    method: 'GET',
    path: '/v1/status',
    access: 'read',
    summary: 'All entities with their states, and how many are in each; the counts are over all pages',
    status: 200,
    query: ListQuery,
    reply: Status,
    run: async (context, { query, url }) => {
      const scope = `${context.tenant} status`;
      const after = decodeCursor(scope, query.cursor, Position);
      const { status, next } = await readStatus(context, { after, limit: query.limit });
      return listReply(status, url, next === undefined ? undefined : encodeCursor(scope, next));
    },
  }),
  row({
    method: 'GET',
    path: '/v1/status/transitions',
    access: 'read',
    summary: 'Changes of state across all entities, newest first',
    status: 200,
    query: ListQuery.extend({ limit: limitParam(50, 1000) }),
    reply: z.array(TransitionRecord),
    run: (context, call) => listOf(`${context.tenant} transitions`, call, transitionFeed(context)),
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
