import * as z from 'zod';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import { auditedCheck, CheckRecord, checkView } from '#lib/checks/settings/check-record.ts';
import { pingUrlDeletions, pingUrlWrites } from '#lib/checks/settings/ping-url.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import {
  decodeCursor,
  encodeCursor,
  gather,
  ListQuery,
  limitParam,
  listOf,
  listReply,
  Position,
} from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { PingRecord, pingList, readPingBody } from './ping-item.ts';
import {
  createPingKey,
  deletePingKey,
  NewPingKey,
  PingKeyRecord,
  pingKeyList,
  pingKeyRecord,
  requirePingKey,
} from './ping-keys.ts';

export const PingUrlRotation = z
  .object({
    keep_old_seconds: z
      .int()
      .min(0)
      .max(604_800)
      .describe('Time for which the previous URL continues to work, in seconds. Default: 0.')
      .default(0),
  })
  .meta({ id: 'PingUrlRotation' });

/** Replaces the ping URL. The previous one works for `keep_old_seconds`. Older ones stop at once. Throws NOT_FOUND. */
export async function rotatePingUrl(
  context: Context,
  stored: CheckItem,
  { keep_old_seconds }: z.output<typeof PingUrlRotation>,
): Promise<CheckItem> {
  const { ports, keys, tenant } = context;
  const auditWrites = auditWriter(context, 'rotate', auditedCheck);
  const uuid = ports.ids.uuid();
  return retryOnConflict(ports, async (attempt) => {
    const check = attempt === 0 ? stored : await ports.table.get<CheckItem>(keys.check(tenant, stored.id));
    if (!check?.ping) throw notFound(`Check ${stored.id}`);
    const now = ports.clock.now();
    const { uuid: before, old } = check.ping;
    const until = now + keep_old_seconds * 1000;
    const kept = keep_old_seconds > 0 && { old: { uuid: before, until } };
    const next = nextCheck(check, ports.ids.token(), { ping: { uuid, ...kept }, updated_at: iso(now) });
    const done = await commit(ports, [
      replaceCheck(check, next),
      ...pingUrlWrites(keys, check, uuid),
      ...(kept ? pingUrlWrites(keys, check, before, until) : pingUrlDeletions(keys, check, before)),
      ...(old ? pingUrlDeletions(keys, check, old.uuid) : []),
      ...auditWrites(check, next, { keep_old_seconds: String(keep_old_seconds) }),
    ]);
    return done.ok ? next : RETRY;
  });
}

const endpoint = route<Context>();

async function requireCheckWithPingUrl(context: Context, { id }: { id: string }): Promise<CheckItem> {
  const check = await requireCheck(context, id);
  if (check.execution_mode === 'push') return check;
  throw new AppError('CONFLICT', `Check ${id} is a ${check.check_type} check; only push checks have a ping URL.`);
}

/** Routes that list the pings of a check and rotate its ping URL; ping-endpoint.ts receives pings. */
export const pingRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/checks/{id}/pings',
    access: 'read',
    summary: 'List pings of a push check, newest first',
    description: 'Pings are kept as long as results.',
    status: 200,
    query: z.object({
      limit: limitParam(50, 500),
      cursor: z.string().optional().describe('next_cursor of the previous response.'),
    }),
    reply: z
      .object({
        pings: z.array(PingRecord).describe('Pings, newest first.'),
        next_cursor: z.string().nullable().describe('Cursor of the next page; null on the last page.'),
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
  endpoint({
    method: 'GET',
    path: '/v1/checks/{id}/pings/{ping_id}/body',
    access: 'read',
    summary: 'Get the body of a ping, with secrets masked',
    status: 200,
    text: true,
    reply: z.string().describe('Text of at most 10,000 bytes.'),
    load: (context, { id }) => requireCheck(context, id),
    run: (context, { loaded, params }) => readPingBody(context, loaded, params.ping_id),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/checks/{id}/rotate-ping-url',
    access: 'write',
    summary: 'Rotate the ping URL of a push check',
    status: 200,
    body: PingUrlRotation,
    reply: CheckRecord,
    errors: ['CONFLICT'],
    load: requireCheckWithPingUrl,
    run: async (context, { loaded, body }) => checkView(context, await rotatePingUrl(context, loaded, body)),
  }),
];

export const pingKeyRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/ping-keys',
    access: 'read',
    summary: 'List ping keys',
    description: 'A ping key permits pings to all push checks of the account, by slug.',
    status: 200,
    query: ListQuery,
    reply: z.array(PingKeyRecord),
    run: (context, call) => listOf(`${context.tenant} ping keys`, call, pingKeyList(context)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/ping-keys',
    access: 'write',
    summary: 'Create a ping key',
    description: 'To replace a key, create another one and delete the first.',
    status: 201,
    body: NewPingKey,
    reply: PingKeyRecord,
    errors: ['NOT_FOUND', 'LIMIT_EXCEEDED'],
    run: async (context, { body }) => pingKeyRecord(context, await createPingKey(context, body)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/ping-keys/{id}',
    access: 'write',
    summary: 'Delete a ping key',
    description: 'Pings with this key are rejected afterwards.',
    status: 204,
    load: (context, { id }) => requirePingKey(context, id),
    run: (context, { loaded }) => deletePingKey(context, loaded.id),
  }),
];
