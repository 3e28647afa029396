import * as z from 'zod';
import { AuditEntry } from '#lib/audit/entry.ts';
import { AuditFilter } from '#lib/audit/query.ts';
import { readLog } from '#lib/audit/read-log.ts';
import { entryRecord } from '#lib/audit/summary.ts';
import { isAllowed } from '#lib/platform/http/access.ts';
import { assertAllowed } from '#lib/platform/http/assert-allowed.ts';
import { decodeCursor, encodeCursor, ListQuery, limitParam, listReply, Position } from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { assertTimeRange } from '#lib/platform/instant.ts';
import type { Context } from './context.ts';

const endpoint = route<Context>();

export const auditRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/audit',
    access: 'changes',
    summary: 'List audit log entries',
    description:
      'Returns entries of the kind config. An admin gets all entries, but with a key only if it is not read-only and has the scope audit or no scopes.',
    status: 200,
    query: AuditFilter.extend({
      order: z
        .enum(['desc', 'asc'])
        .default('desc')
        .describe(
          'desc: newest first. asc: oldest first, without the last 15 seconds, always with a next link for entries added later.',
        ),
      ...ListQuery.shape,
      limit: limitParam(50, 500),
    }),
    reply: z.array(AuditEntry),
    lines: true,
    errors: ['READ_ONLY'],
    run: async (context, { query, url }) => {
      assertTimeRange(query);
      if (query.kind === 'access') assertAllowed(context.caller, 'audit');
      const seesAll = isAllowed(context.caller, 'audit');
      const filter = seesAll ? query : { ...query, kind: 'config' as const };
      const { order, limit } = query;
      const scope = `${context.tenant} audit ${order}`;
      const after = decodeCursor(scope, query.cursor, Position);
      const { values, next } = await readLog(context, filter, { order, after, limit });
      const entries = values.map((item) => entryRecord(item, seesAll));
      return listReply(entries, url, next === undefined ? undefined : encodeCursor(scope, next));
    },
  }),
];
