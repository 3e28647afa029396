import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathOf, WALK_SETTINGS, walk } from '#infra/docs/example-requests.ts';
import type { PathIds } from '#infra/docs/example-steps.ts';
import { endpointOf } from '#infra/docs/openapi.ts';
import { fakeNet } from '#infra/docs/record.ts';
import { allRoutes } from '#lib/all-routes.ts';
import type { AuditEntry } from '#lib/audit/entry.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { auditedRoutes, CALLBACK, deletions, entriesOf } from '#test/support/audited-routes.ts';
import {
  type Caller,
  callersByKey,
  callersByRight,
  expectedOutcome,
  keyMadeBy,
  people,
} from '#test/support/callers.ts';
import { type ApiResponse, type Client, challengeOf, clientOf, failure, newTenantOf } from '#test/support/client.ts';
import { masked, sameShape } from '#test/support/compare.ts';
import { type Service, startService } from '#test/support/service.ts';

/**
 * One walk over every route of the API: calls each with success, provokes its errors in their order, calls it as every
 * kind of caller, and reads its audit entries. A new route is covered without a change here. Its requests come from
 * infra/docs/example-steps.ts; the outcome for each caller follows from its `access`. The network of the service is
 * simulated, and every host replies, because the walk names hosts of the internet.
 */

const rows = allRoutes.map((row) => ({ ...row, endpoint: endpointOf(row) }));
const paths = [...new Set(rows.map((row) => row.path))];
type Row = (typeof rows)[number];
const readable = rows.filter((row) => row.access === 'read');

/** Lead of the service's clock over the clock of this machine (ms). */
let ahead = 0;
/** Time at which the service's clock is frozen (epoch ms); undefined while it runs. */
let stopped: number | undefined;
const clock = { ...systemClock, now: () => stopped ?? systemClock.now() + ahead };

/** A successful call of the walk, and the audit entries that it added. */
type Done = { endpoint: string; path: string; body: unknown; entries: AuditEntry[] };

let service: Service;
let pathIds: PathIds;
let admin: Client;
let reader: Client;
let stranger: Client;
let anonymous: Client;
const done: Done[] = [];

let seen = new Set<string>();
/** Returns the audit entries that were added since the last call. */
async function newEntries(): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = (await admin.get('/v1/audit?limit=30')).body;
  const added = entries.filter(({ id }) => !seen.has(id));
  seen = new Set(entries.map(({ id }) => id));
  return added;
}

beforeAll(async () => {
  service = await startService({ env: WALK_SETTINGS, world: { net: fakeNet, clock } });
  admin = await newTenantOf(service);
  stranger = await newTenantOf(service);
  anonymous = clientOf(service.url, '');
  await newEntries();
  pathIds = await walk(allRoutes.map(endpointOf), async (endpoint, path, body, headers) => {
    const [method = ''] = endpoint.split(' ');
    const response = await admin.send(method, path, { body, headers });
    if (response.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(response.body)}`);
    done.push({ endpoint, path, body, entries: await newEntries() });
    return { body: response.body, cookies: response.headers.getSetCookie() };
  });
  reader = await keyMadeBy(service, admin, { is_read_only: true });
  await newEntries();
}, 120_000);
afterAll(() => service.stop());

/** Calls the endpoint on records that the walk created. */
const call = (
  client: Client,
  { method, endpoint }: Pick<Row, 'method' | 'endpoint'>,
  body?: unknown,
): Promise<ApiResponse> => client.send(method, pathOf(endpoint, pathIds), method === 'GET' ? {} : { body });

const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** Returns an unknown id of the same form. */
const unknownIdOf = (id: string): string => `${id.slice(0, -3)}xyz`;

/** Returns the path of an endpoint with unknown ids. */
const nowhereOf = (row: Row): string =>
  pathOf(row.endpoint, Object.fromEntries(Object.entries(pathIds).map(([name, id]) => [name, unknownIdOf(id)])));

describe('the walk', () => {
  it('calls every endpoint with success except deletions', () => {
    const called = new Set(done.map(({ endpoint }) => endpoint));
    const left = rows.filter((row) => row.method !== 'DELETE' && !called.has(row.endpoint));
    expect(left.map((row) => row.endpoint)).toEqual([]);
  });

  it('adds one audit entry for each change, and none for a read or a push', () => {
    const rest = done.filter(({ endpoint }) => endpoint !== CALLBACK);
    const counts = rest.map(({ endpoint, entries }) => ({ endpoint, entries: entries.length }));
    expect(counts).toEqual(counts.map(({ endpoint }) => ({ endpoint, entries: entriesOf(endpoint) })));
    expect(counts.filter(({ entries }) => entries === 1).length).toBeGreaterThan(20);
  });

  it('adds an entry for the new identity and one for the session of a sign-in by a provider', () => {
    const [first] = done.filter(({ endpoint }) => endpoint === CALLBACK);
    expect(first!.entries.map(({ action }) => action).toSorted()).toEqual(['identity.add', 'session.create']);
    for (const { via, actor } of first!.entries) expect([via, actor.type]).toEqual(['oidc', 'user']);
  });

  it.each(auditedRoutes.filter((row) => row.method !== 'DELETE'))(
    'records the action and the actor of $endpoint',
    async (row) => {
      const { body: me } = await admin.get('/v1/me');
      const found = done.filter(({ endpoint }) => endpoint === row.endpoint);
      expect(found.length).toBeGreaterThan(0);
      for (const { entries } of found) {
        const [entry] = entries as [AuditEntry];
        expect(entry).toMatchObject({ tool: null, ip: '127.0.0.1', user_agent: 'node', more_changes: 0 });
        expect(entry.via).toBe(row.access === 'open' && row.path.startsWith('/v1/sign-in/') ? 'console' : 'api');
        expect(entry.action).toBe(`${entry.target.type}.${entry.action.split('.')[1]}`);
        expect(entry.target.id).not.toBe('');
        expect(entry.target.name).not.toBe('');
        expect(entry.changes.length).toBeGreaterThan(0);
        for (const { from, to } of entry.changes) expect([from, to]).not.toEqual([null, null]);
        expect(entry.summary).toMatch(/^\S.*\.$/);
        if (row.access === 'open') expect(entry.actor).toMatchObject({ type: 'user', key_id: null });
        else expect(entry.actor).toMatchObject({ type: 'key', user_id: me.user.id, email: me.user.email });
      }
    },
  );
});

describe('request validation', () => {
  /** Whether a route rejects unknown query parameters. Routes that serve other programs accept any. */
  const isClosed = ({ query }: Row) => query?.def.catchall === undefined;
  /** Routes that look up the user only after the body is validated. */
  const BODY_FIRST = ['PUT /v1/settings/users/{id}', 'POST /v1/settings/users/{id}/sign-in-link'];

  // Requests in the order of validation. Each also has a fault that a later step would reject.
  it.each(rows)('rejects faults of $endpoint in the documented order and records nothing', async (row) => {
    const path = pathOf(row.endpoint, pathIds);
    const nowhere = nowhereOf(row);
    const garbled = row.method === 'GET' ? {} : { body: '{"name": ' };
    if (row.access === 'open') expect((await call(anonymous, row)).status).not.toBe(401);
    else expect(challengeOf(await anonymous.send(row.method, nowhere, garbled))).toBe('Bearer');
    if (row.access === 'write') {
      expect(await reader.send(row.method, nowhere, garbled)).toMatchObject(failure(403, 'READ_ONLY'));
    }
    // An endpoint that creates the record in its path accepts an unknown one.
    if (row.access !== 'open' && row.path.includes('{') && !row.makes) {
      const wrong = BODY_FIRST.includes(row.endpoint) ? { body: {} } : garbled;
      expect(await admin.send(row.method, nowhere, wrong)).toMatchObject(failure(404, 'NOT_FOUND'));
    }
    if (row.body) {
      for (const body of ['{"name": ', '[]']) {
        expect(await call(admin, row, body)).toMatchObject(failure(400, 'VALIDATION_ERROR'));
      }
      const unknown = await call(admin, row, { '!shade': null });
      expect(unknown).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
      expect(unknown.body.details).toContainEqual({ path: '!shade', message: '`!shade` is not known' });
    }
    if (isClosed(row)) {
      const response = await admin.send(row.method, withQuery(path, '%21shade=red'));
      expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', '!shade'));
    }
    expect(await newEntries()).toEqual([]);
  });

  it.each(paths)('lists the allowed methods at %s', async (path) => {
    const own = rows.filter((row) => row.path === path).map((row) => row.method as string);
    const there = own.includes('GET') ? [...own, 'HEAD'] : own;
    const on = pathOf(`X ${path}`, pathIds);
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !there.includes(one))) {
      for (const client of [admin, reader]) {
        const response = await client.send(method, on);
        expect(response).toMatchObject(method === 'HEAD' ? { status: 405 } : failure(405, 'METHOD_NOT_ALLOWED'));
        expect(response.headers.get('allow')).toBe(there.sort().join(', '));
      }
    }
  });
});

describe('a record', () => {
  const changed = rows.filter(
    (row) =>
      row.body && row.status === 200 && rows.some((one) => one.method === 'GET' && !one.text && one.path === row.path),
  );
  // A route that gives a check a new ping URL does so each time.
  const repeatable = auditedRoutes.filter(
    (row) => row.status === 200 && row.body && row.access !== 'respond' && !row.path.endsWith('/rotate-ping-url'),
  );

  it('has several endpoints to test', () => {
    expect(changed.length).toBeGreaterThan(5);
    expect(repeatable.length).toBeGreaterThan(5);
  });

  it.each(changed)('is accepted by $endpoint as it was read, and stays unchanged', async (row) => {
    const path = pathOf(row.endpoint, pathIds);
    const { body: read } = await admin.get(path);
    expect(await admin.send(row.method, path, { body: read })).toMatchObject({ status: 200 });
    const { body: now } = await admin.get(path);
    // The status of an SLO changes with time.
    const fixed = { updated_at: '', status: '' };
    expect({ ...now, ...fixed }).toEqual({ ...read, ...fixed });
  });

  it.each(repeatable)('keeps updated_at without an audit entry when $endpoint changes nothing', async (row) => {
    const { path, body } = done.findLast(({ endpoint }) => endpoint === row.endpoint)!;
    const first = await admin.send(row.method, path, { body });
    await newEntries();
    expect(await admin.send(row.method, path, { body })).toMatchObject({ status: 200, body: first.body });
    expect(await newEntries()).toEqual([]);
  });
});

describe('HEAD', () => {
  const head = (client: Client, path: string) =>
    fetch(service.url + path, {
      method: 'HEAD',
      redirect: 'manual',
      headers: { authorization: `Bearer ${client.key}` },
    });
  /** Headers that differ between equal requests. */
  const varying = ['x-request-id', 'date', 'connection', 'keep-alive', 'ratelimit'];
  const headersFrom = (headers: Headers) =>
    Object.fromEntries([...headers].filter(([name]) => !varying.includes(name)));

  beforeAll(() => {
    stopped = systemClock.now();
  });
  afterAll(() => {
    stopped = undefined;
  });

  it.each(rows.filter((row) => row.method === 'GET'))('returns the same as $endpoint without a body', async (row) => {
    for (const client of [admin, reader]) {
      const path = pathOf(row.endpoint, pathIds);
      const [whole, bare] = [await client.get(path), await head(client, path)];
      expect(bare.status).toBe(whole.status);
      expect(headersFrom(bare.headers)).toEqual(headersFrom(whole.headers));
      if (row.reply) expect(Number(bare.headers.get('content-length'))).toBeGreaterThan(0);
      expect(await bare.text()).toBe('');
    }
  });
});

/** A query that is rejected after the permissions are checked and before anything is changed. */
const STOP = '!stop';

/** Returns the outcome of a call: "let in", or the error code. */
async function outcomeFor({ client, own }: Caller, row: Row): Promise<string> {
  const path = pathOf(row.endpoint, { ...pathIds, ...own });
  const response = await client.send(row.method, withQuery(path, `${encodeURIComponent(STOP)}=1`));
  const isStopped = response.status === 400 && response.body.details[0].path === STOP;
  // Existence is checked after permissions, so a 404 means let in: the passkey and the identity of the walk belong to
  // the admin.
  const isElsewhere = row.access === 'own' && response.status === 404;
  // Routes that serve other programs accept any query.
  const isServed = row.query?.def.catchall !== undefined && response.status === row.status;
  return isStopped || isElsewhere || isServed ? 'let in' : response.body.code;
}

describe('permissions', () => {
  let callers: Caller[];
  /** Clients that can read but see no secrets. */
  let readers: Client[];
  beforeAll(async () => {
    const team = await people(service, admin);
    const named = { check: pathIds.checks!, skill: pathIds.skills! };
    callers = [...(await callersByRight(service, team)), ...(await callersByKey(service, admin, named))];
    const scoped = await Promise.all([['read'], ['respond']].map((scopes) => keyMadeBy(service, admin, { scopes })));
    readers = [reader, ...team.slice(0, 2).map(({ client }) => client), ...scoped];
    ahead = 3_600_000;
  });

  it('are declared once per caller', () => {
    expect(new Set(callers.map(({ who }) => who)).size).toBe(callers.length);
    expect(callers.length).toBeGreaterThan(40);
  });

  it('follow from the access of the route for each caller', async () => {
    for (const caller of callers) {
      const { who, outcome } = caller;
      const actual = await Promise.all(rows.map(async (row) => [row.endpoint, await outcomeFor(caller, row)]));
      const expected = Object.fromEntries(rows.map((row) => [row.endpoint, outcome(row)]));
      expect(Object.fromEntries(actual), who).toEqual(expected);
    }
  });

  it('are missing for an unknown access', () => {
    expect(() => expectedOutcome({ role: 'admin' }, 'dance' as never)).toThrow('has no entry');
  });

  /** Secrets in the requests of the walk: a hook's path, a query, a header's value, a signing key. */
  const SECRETS = /hooks\.slack\.com|s3cret|execution=|x1y2/;

  it.each(readable)('let readers call $endpoint, without its secrets', async (row) => {
    const whole = await call(admin, row);
    for (const client of readers) {
      const shown = await call(client, row);
      expect(shown.status).toBe(row.status);
      expect(JSON.stringify(shown.body)).not.toMatch(SECRETS);
      expect(sameShape(shown.body, whole.body)).toBe(true);
    }
  });

  it('let the admin see the secrets', async () => {
    const whole = await Promise.all(readable.map((row) => call(admin, row)));
    expect(whole.filter((response) => SECRETS.test(JSON.stringify(response.body))).length).toBeGreaterThan(2);
  });
});

describe('another account', () => {
  /** Routes that name a record, except the routes that create it: these create it for the caller. */
  const named = rows.filter((row) => row.path.includes('{') && row.access !== 'open' && !row.makes);

  it.each(named)('gets for $endpoint the same 404 as for an unknown id', async (row) => {
    const [foreign, unknown] = [await call(stranger, row, {}), await stranger.send(row.method, nowhereOf(row))];
    expect(foreign).toMatchObject(failure(404, 'NOT_FOUND'));
    const ids = Object.values(pathIds);
    expect(masked(foreign, ids)).toEqual(masked(unknown, ids.map(unknownIdOf)));
  });

  it('leaves everything unchanged', async () => {
    for (const row of rows.filter((one) => one.method === 'GET')) {
      expect((await call(admin, row)).status).toBe(row.status);
    }
  });
});

// Last, because it deletes everything that the walk created.
describe('a deletion', () => {
  it('removes the record for every endpoint, and adds one audit entry', async () => {
    const deleted = new Set<string>();
    await newEntries();
    for (const { endpoint, path, status } of deletions(pathIds)) {
      expect((await admin.del(path)).status, endpoint).toBe(204);
      const entries = await newEntries();
      expect(entries, endpoint).toHaveLength(1);
      expect(entries[0]!.changes.length, endpoint).toBeGreaterThan(0);
      for (const { to } of entries[0]!.changes) expect(to).toBeNull();
      expect(await admin.del(path), endpoint).toMatchObject(status === 404 ? failure(404, 'NOT_FOUND') : { status });
      if (status === 404) expect(await newEntries()).toEqual([]);
      else await newEntries();
      deleted.add(endpoint);
    }
    const left = rows.filter((row) => row.method === 'DELETE' && !deleted.has(row.endpoint));
    expect(left.map((row) => row.endpoint)).toEqual(['DELETE /v1/session']);
    for (const row of rows.filter((one) => one.method === 'GET' && one.path.endsWith('}'))) {
      // Incidents cannot be deleted.
      if (row.path === '/v1/incidents/{id}') continue;
      expect((await call(admin, row)).status, row.endpoint).toBe(404);
    }
    expect((await admin.del('/v1/session')).status).toBe(204);
  });
});
