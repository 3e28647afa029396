import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { ListQuery, listOf } from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { createPingKey, deletePingKey, pingKeyList, requirePingKey } from '#lib/results/pings/ping-keys.ts';
import { NewPingKey, PingKeyRecord, pingKeyRecord } from './ping-key.ts';

const row = route<Context>();

export const pingKeyRows = [
  row({
    method: 'GET',
    path: '/v1/ping-keys',
    access: 'read',
    summary: 'Ping keys, by which checks are pinged at their slugs',
    status: 200,
    query: ListQuery,
    reply: z.array(PingKeyRecord),
    run: (context, call) => listOf(`${context.tenant} ping keys`, call, pingKeyList(context)),
  }),
  row({
    method: 'POST',
    path: '/v1/ping-keys',
    access: 'write',
    summary: 'Make a ping key; to replace one, make another and delete the first',
    status: 201,
    body: NewPingKey,
    reply: PingKeyRecord,
    errors: ['NOT_FOUND', 'LIMIT_EXCEEDED'],
    run: async (context, { body }) => pingKeyRecord(context, await createPingKey(context, body)),
  }),
  row({
    method: 'DELETE',
    path: '/v1/ping-keys/{id}',
    access: 'write',
    summary: 'Delete a ping key; nothing is pinged with it any more',
    status: 204,
    load: (context, { id }) => requirePingKey(context, id),
    run: (context, { loaded }) => deletePingKey(context, loaded.id),
  }),
];
