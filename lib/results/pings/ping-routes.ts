import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { shownCheck } from '#lib/checks/entity-of-check.ts';
import { CheckRecord } from '#lib/checks/settings/check-record.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { PingRecord } from '#lib/health/pings/ping-item.ts';
import { PingUrlRotation, rotatePingUrl } from '#lib/health/pings/rotate-ping-url.ts';
import { AppError } from '#lib/platform/errors.ts';
import { decodeCursor, encodeCursor, gather, limitParam, listReply, Position } from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { pingList, readPingBody } from './ping-item.ts';

const row = route<Context>();

/** Throws NOT_FOUND, and CONFLICT for a check that takes no pings. */
async function requirePinged(context: Context, { id }: { id: string }): Promise<CheckItem> {
  const check = await requireCheck(context, id);
  if (check.execution_mode === 'push') return check;
  throw new AppError('CONFLICT', `Check ${id} is a ${check.check_type} check; only push checks have a ping URL.`);
}

/** What there is to read and to change of the pings of a check; pings themselves are no rows (ping-endpoint.ts). */
export const pingRows = [
  row({
    method: 'GET',
    path: '/v1/checks/{id}/pings',
    access: 'read',
    summary: 'Pings of a push check, newest first, as long as results are kept',
    status: 200,
    query: z.object({
      limit: limitParam(50, 500),
      cursor: z.string().optional().describe('next_cursor of the answer before.'),
    }),
    reply: z
      .object({
        pings: z.array(PingRecord).describe('Newest first.'),
        next_cursor: z.string().nullable().describe('For the next page; null on the last.'),
      })
      .meta({ id: 'Pings' }),
    load: (context, { id }) => requireCheck(context, id),
    run: async (context, { loaded, query, url }) => {
      const scope = `${context.tenant} pings ${loaded.id}`;
      const after = decodeCursor(scope, query.cursor, Position);
      const page = await gather(pingList(context, loaded), { after, limit: query.limit });
      const cursor = page.next === undefined ? undefined : encodeCursor(scope, page.next);
      return listReply({ pings: page.values, next_cursor: cursor ?? null }, url, cursor);
    },
  }),
  row({
    method: 'GET',
    path: '/v1/checks/{id}/pings/{ping_id}/body',
    access: 'read',
    summary: 'What a ping brought: text, without what looks like a secret in it',
    status: 200,
    text: true,
    reply: z.string().describe('At most 10,000 bytes.'),
    load: (context, { id }) => requireCheck(context, id),
    run: (context, { loaded, params }) => readPingBody(context, loaded, params.ping_id),
  }),
  row({
    method: 'POST',
    path: '/v1/checks/{id}/rotate-ping-url',
    access: 'write',
    summary: 'Give a push check another ping URL',
    status: 200,
    body: PingUrlRotation,
    reply: CheckRecord,
    errors: ['CONFLICT'],
    load: requirePinged,
    run: async (context, { loaded, body }) => shownCheck(context, await rotatePingUrl(context, loaded, body)),
  }),
];
