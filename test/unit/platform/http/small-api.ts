import * as z from 'zod';
import { AppError, notFound } from '#lib/platform/errors.ts';
import type { Rights } from '#lib/platform/http/access.ts';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';
import { Reply, route } from '#lib/platform/http/route.ts';
import { type Gates, makeRouter } from '#lib/platform/http/router.ts';
import { memoryLog } from '#test/support/log.ts';

export type Context = { caller: Rights };
const define = route<Context>();

/** Routes of a small API, for router tests. */
const routes = [
  define({
    method: 'GET',
    path: '/v1/things/{id}',
    access: 'read',
    summary: '',
    status: 200,
    reply: z.unknown(),
    query: z.object({ word: z.string().optional() }),
    run: async (_context, { params, query }) => ({ ...params, ...query }),
  }),
  define({
    method: 'PUT',
    path: '/v1/things/{id}',
    access: 'write',
    summary: '',
    status: 200,
    reply: z.unknown(),
    body: z.object({ name: z.string(), note: z.string().optional() }),
    maxBody: 100,
    load: async (_context, { id }) => {
      if (id === 'gone') throw notFound(`Thing ${id}`);
      if (id === 'busy') throw new AppError('CONFLICT', 'It is busy.');
      return id;
    },
    run: async (_context, { body, loaded }) => ({ ...body, loaded }),
  }),
  define({
    method: 'POST',
    path: '/v1/things/{id}/names/{name}',
    names: ['name'],
    access: 'manage',
    summary: '',
    status: 201,
    reply: z.unknown(),
    run: async (_context, { params }) => params,
  }),
  define({
    method: 'DELETE',
    path: '/v1/things/{id}',
    access: 'write',
    summary: '',
    status: 204,
    run: async () => 'x',
  }),
  define({
    method: 'GET',
    path: '/v1/open',
    access: 'open',
    summary: '',
    status: 200,
    reply: z.unknown(),
    run: async (c) => c.caller,
  }),
  define({
    method: 'POST',
    path: '/v1/anything',
    access: 'open',
    summary: '',
    status: 200,
    reply: z.unknown(),
    body: z.object({}),
    run: async () => 1,
  }),
  define({
    method: 'GET',
    path: '/v1/paged',
    access: 'read',
    summary: '',
    status: 200,
    reply: z.unknown(),
    run: async () => new Reply([1], { link: '<x>' }),
  }),
  define({
    method: 'GET',
    path: '/v1/broken',
    access: 'read',
    summary: '',
    status: 200,
    reply: z.unknown(),
    run: () => Promise.reject(new Error('the password is hunter2')),
  }),
];

const callers: Record<string, Rights> = {
  admin: { is_read_only: false, scopes: null, role: 'admin' },
  member: { is_read_only: false, scopes: null, role: 'member' },
  reader: { is_read_only: true, scopes: null, role: 'admin' },
};

export const log = memoryLog();
export const gates: Gates<Context> = {
  log,
  anonymous: () => ({ caller: { is_read_only: true, scopes: null, role: 'member' } }),
  spend: async () => ({}),
  restrict: () => {},
  chargeCost: async () => {},
  withReadPermit: (_context, read) => read(),
  authenticate: async ({ headers }) => {
    const caller = callers[headers.authorization ?? ''];
    if (!caller) throw new AppError('UNAUTHORIZED', 'Send a key.', { headers: { 'www-authenticate': 'Bearer' } });
    return { caller };
  },
};
const handle = makeRouter(routes, gates);

/** Caller and content of a request. */
type Sent = { as?: string; body?: string; base64?: boolean; query?: string };
export async function send(
  method: string,
  path: string,
  { as = 'admin', body, base64 = false, query = '' }: Sent = {},
) {
  const event: ApiEvent = {
    rawPath: path,
    rawQueryString: query,
    headers: { authorization: as },
    body,
    isBase64Encoded: base64,
    requestContext: { requestId: 'req-1', http: { method, path } },
  };
  const { statusCode, headers, body: text } = await handle(event);
  return { status: statusCode, headers, body: text === '' ? undefined : JSON.parse(text), text };
}
