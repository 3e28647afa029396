import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointOf } from '#infra/docs/openapi.ts';
import { answeringNet } from '#infra/docs/record.ts';
import { type Places, pathOf, WALKED, walk } from '#infra/docs/walk.ts';
import { allRows } from '#lib/all-rows.ts';
import { may, type Rights } from '#lib/platform/http/access.ts';
import { type Answer, type Client, challengeOf, clientOf, failure } from '#test/support/client.ts';
import { type Service, startService, tenantOf } from '#test/support/service.ts';

/**
 * Every row of the API against everybody who may call it. A new row is here by itself; what it needs to exist comes
 * from infra/docs/walk.ts. The service has no network, as the walk names hosts of the world.
 */

const rows = allRows.map((row) => ({ ...row, endpoint: endpointOf(row) }));
const paths = [...new Set(rows.map((row) => row.path))];
type Row = (typeof rows)[number];
const open = rows.filter((row) => row.access === 'open');
const guarded = rows.flatMap((row) => (row.access === 'open' ? [] : [{ ...row, access: row.access }]));
const mayUse = (rights: Partial<Rights>) => (row: (typeof guarded)[number]) =>
  may({ role: 'admin', scopes: null, is_read_only: false, ...rights }, row.access);
const readable = guarded.filter(mayUse({ is_read_only: true }));

/** The endpoints that answered a good request. */
const walked = new Set<string>();

let service: Service;
let places: Places;
let admin: Client;
let member: Client;
let reader: Client;
let stranger: Client;
let nobody: Client;
beforeAll(async () => {
  service = await startService({ env: WALKED, world: { net: answeringNet } });
  const withKey = (key: string) => clientOf(service.url, key);
  admin = withKey((await tenantOf(service)).key);
  stranger = withKey((await tenantOf(service)).key);
  let joined = '';
  places = await walk(
    rows.map((row) => row.endpoint),
    async (endpoint, path, body, headers) => {
      const [method = ''] = endpoint.split(' ');
      const answer = await admin.send(method, path, { body, headers });
      walked.add(endpoint);
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
      if (endpoint === 'POST /v1/invitations/accept') joined = answer.body.key;
      return { body: answer.body, cookies: answer.headers.getSetCookie() };
    },
  );
  const made = await admin.post('/v1/auth/keys', { label: 'reader', is_read_only: true });
  [reader, member, nobody] = [withKey(made.body.key), withKey(joined), withKey('')];
});
afterAll(() => service.stop());

/** The endpoint on what the walk has made. */
const call = (
  client: Client,
  { method, endpoint }: Pick<Row, 'method' | 'endpoint'>,
  body?: unknown,
): Promise<Answer> => client.send(method, pathOf(endpoint, places), method === 'GET' ? {} : { body });

describe('the walk', () => {
  it('has called every endpoint with success but those that delete', () => {
    const left = rows.filter((row) => row.method !== 'DELETE' && !walked.has(row.endpoint));
    expect(left.map((row) => row.endpoint)).toEqual([]);
  });
});

/** An id of the same form that names nothing. */
const other = (id: string): string => `${id.slice(0, -3)}xyz`;

/** An answer without the ids that were asked for; the longest first, as a slug may end one by chance. */
const masked = ({ status, body }: Answer, ids: string[]) => ({
  status,
  body: ids
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, id) => text.replaceAll(id, '…'), JSON.stringify(body)),
});

/** Whether two records have the same members all the way down, whatever their texts say. */
function sameShape(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return typeof a === typeof b;
  const [one, two] = [Object.keys(a), Object.keys(b)];
  return one.length === two.length && one.every((key) => sameShape(a[key as never], b[key as never]));
}

describe('without a key', () => {
  it.each(guarded)('$endpoint is UNAUTHORIZED', async (row) => {
    const answer = await call(nobody, row);
    expect(answer).toMatchObject(failure(401, 'UNAUTHORIZED'));
    expect(challengeOf(answer)).toBe('Bearer');
  });

  it.each(open)('$endpoint is open', async (row) => {
    expect((await call(nobody, row)).status).not.toBe(401);
  });
});

describe('with a read-only key', () => {
  it.each(guarded.filter((row) => !readable.includes(row)))('$endpoint is READ_ONLY', async (row) => {
    expect(await call(reader, row, {})).toMatchObject(failure(403, 'READ_ONLY'));
  });

  /** What the walk has put into secret places: a hook's path, a query, a header's value, a signing key. */
  const SECRETS = /hooks\.slack\.com|s3cret|execution=|x1y2/;

  it.each(readable)('$endpoint shows no secret', async (row) => {
    const [shown, whole] = [await call(reader, row), await call(admin, row)];
    expect(shown.status).toBe(row.status);
    expect(JSON.stringify(shown.body)).not.toMatch(SECRETS);
    expect(sameShape(shown.body, whole.body)).toBe(true);
  });

  it('there was something to hide', async () => {
    const seen = await Promise.all(readable.map((row) => call(admin, row)));
    expect(seen.filter((answer) => SECRETS.test(JSON.stringify(answer.body))).length).toBeGreaterThan(2);
  });
});

describe('with the key of a member', () => {
  it.each(guarded.filter((row) => !mayUse({ role: 'member' })(row)))('$endpoint is FORBIDDEN', async (row) => {
    expect(await call(member, row, {})).toMatchObject(failure(403, 'FORBIDDEN'));
  });

  it.each(readable)('$endpoint answers', async (row) => {
    expect((await call(member, row)).status).toBe(row.status);
  });
});

describe("another account's", () => {
  const named = rows.filter((row) => row.path.includes('{') && row.access !== 'open');

  it.each(named)('$endpoint looks as if there were none', async (row) => {
    const nowhere = Object.fromEntries(Object.entries(places).map(([name, id]) => [name, other(id)]));
    const missing = pathOf(row.endpoint, nowhere);
    const [theirs, none] = [await call(stranger, row, {}), await stranger.send(row.method, missing)];
    expect(theirs).toMatchObject(failure(404, 'NOT_FOUND'));
    const ids = Object.values(places);
    expect(masked(theirs, ids)).toEqual(masked(none, ids.map(other)));
  });

  it('is untouched by all that', async () => {
    for (const row of rows.filter((one) => one.method === 'GET'))
      expect((await call(admin, row)).status).toBe(row.status);
  });
});

describe('a body that is garbled', () => {
  it.each(rows.filter((row) => row.body))('is a VALIDATION_ERROR for $endpoint', async (row) => {
    expect(await call(admin, row, '{"name": ')).toMatchObject(failure(400, 'VALIDATION_ERROR'));
  });

  it.each(rows.filter((row) => row.body))('as is a list for $endpoint', async (row) => {
    expect(await call(admin, row, '[]')).toMatchObject(failure(400, 'VALIDATION_ERROR'));
  });
});

describe('a body with a member that is not known', () => {
  it.each(rows.filter((row) => row.body))('is a VALIDATION_ERROR that names it for $endpoint', async (row) => {
    const answer = await call(admin, row, { '!colour': null });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(answer.body.details).toContainEqual({ path: '!colour', message: '`!colour` is not known' });
  });
});

describe('a query parameter that is not known', () => {
  /** Other programs lead there, with what they like. */
  const closed = rows.filter(({ query }) => query?.def.catchall === undefined);

  it.each(closed)('is a VALIDATION_ERROR that names it for $endpoint', async (row) => {
    const path = pathOf(row.endpoint, places);
    const answer = await admin.send(row.method, `${path}${path.includes('?') ? '&' : '?'}%21colour=red`);
    expect(answer).toMatchObject(failure(400, 'VALIDATION_ERROR', '!colour'));
  });
});

describe('a record that was read', () => {
  const changed = rows.filter(
    (row) => row.body && row.status === 200 && rows.some((one) => one.method === 'GET' && one.path === row.path),
  );

  it('is taken back by each of several endpoints', () => expect(changed.length).toBeGreaterThan(5));

  it.each(changed)('is taken back whole by $endpoint, and stays as it is', async (row) => {
    const path = pathOf(row.endpoint, places);
    const { body: read } = await admin.get(path);
    expect(await admin.send(row.method, path, { body: read })).toMatchObject({ status: 200 });
    const { body: now } = await admin.get(path);
    expect({ ...now, updated_at: '' }).toEqual({ ...read, updated_at: '' });
  });
});

describe('HEAD', () => {
  const head = (client: Client, path: string) =>
    fetch(service.url + path, {
      method: 'HEAD',
      redirect: 'manual',
      headers: { authorization: `Bearer ${client.key}` },
    });
  /** What each request has of its own, or counts. */
  const own = ['x-request-id', 'date', 'connection', 'keep-alive', 'ratelimit'];
  /** What tells of time up to now is some bytes longer a moment later. */
  const ofEach = (path: string) => (/\/history(\?|$)/.test(path) ? [...own, 'content-length'] : own);
  const told = (path: string, headers: Headers) =>
    Object.fromEntries([...headers].filter(([name]) => !ofEach(path).includes(name)));

  it.each(rows.filter((row) => row.method === 'GET'))('answers as $endpoint does, without a body', async (row) => {
    for (const client of [admin, reader]) {
      const path = pathOf(row.endpoint, places);
      const [whole, bare] = [await client.get(path), await head(client, path)];
      expect(bare.status).toBe(whole.status);
      expect(told(path, bare.headers)).toEqual(told(path, whole.headers));
      if (row.reply) expect(Number(bare.headers.get('content-length'))).toBeGreaterThan(0);
      expect(await bare.text()).toBe('');
    }
  });
});

describe('a method that there is not', () => {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

  it.each(paths)('is METHOD_NOT_ALLOWED at %s, which says what there is', async (path) => {
    const own = rows.filter((row) => row.path === path).map((row) => row.method as string);
    const there = own.includes('GET') ? [...own, 'HEAD'] : own;
    const on = pathOf(`X ${path}`, places);
    for (const method of methods.filter((one) => !there.includes(one))) {
      const answer = await admin.send(method, on);
      expect(answer).toMatchObject(method === 'HEAD' ? { status: 405 } : failure(405, 'METHOD_NOT_ALLOWED'));
      expect(answer.headers.get('allow')).toBe(there.sort().join(', '));
    }
  });
});

// The last of all, as nothing is left of the walk afterwards: what was made last goes first.
describe('what is deleted', () => {
  /** What lies under a thing goes before it. */
  const made = (path: string) => {
    const parts = path.split('/');
    const at = parts.findLastIndex((part) => part.startsWith('{'));
    return Object.keys(places).indexOf(parts[at - 1]!) + (at === parts.length - 1 ? 0 : 0.5);
  };

  it('is gone for every endpoint that deletes', async () => {
    const rest = pathOf('GET /v1/blueprints/{blueprint_slug}/entities', places);
    const deleting = rows.filter((row) => row.method === 'DELETE').sort((a, b) => made(b.path) - made(a.path));
    for (const row of deleting) {
      if (row.path === '/v1/blueprints/{slug}') await admin.del(`${rest}/database`);
      expect(await call(admin, row)).toMatchObject({ status: 204 });
      // What ends all of something has nothing to miss.
      const again = row.path.endsWith('}') ? failure(404, 'NOT_FOUND') : { status: 204 };
      expect(await call(admin, row)).toMatchObject(again);
    }
    for (const row of rows.filter((one) => one.method === 'GET' && one.path.endsWith('}'))) {
      expect((await call(admin, row)).status).toBe(404);
    }
  });
});
