import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointOf } from '#infra/docs/openapi.ts';
import { answeringNet } from '#infra/docs/record.ts';
import { pathOf, WALKED, walk } from '#infra/docs/walk.ts';
import type { Places } from '#infra/docs/walk-steps.ts';
import { allRows } from '#lib/all-rows.ts';
import type { AuditEntry } from '#lib/audit/entry.ts';
import { type Answer, type Client, clientOf, failure } from '#test/support/client.ts';
import { CALLBACK, deletions, isNoted, notedRows } from '#test/support/noted-rows.ts';
import { type Service, startService, type Tenant, tenantOf } from '#test/support/service.ts';

/**
 * Every endpoint that changes something, and what the audit log says of it. A new row is here by itself; what it needs
 * comes from infra/docs/walk-steps.ts.
 */

type Done = { endpoint: string; path: string; body: unknown; entries: AuditEntry[] };

let service: Service;
let tenant: Tenant;
let admin: Client;
let places: Places;
const done: Done[] = [];

const log = async (): Promise<AuditEntry[]> => (await admin.get('/v1/audit?limit=500')).body;

/** What a call adds to the log. */
async function added(call: () => Promise<unknown>): Promise<AuditEntry[]> {
  const before = new Set((await log()).map(({ id }) => id));
  await call();
  return (await log()).filter(({ id }) => !before.has(id));
}

beforeAll(async () => {
  service = await startService({ env: WALKED, world: { net: answeringNet } });
  tenant = await tenantOf(service);
  admin = clientOf(service.url, tenant.key);
  const endpoints = allRows.map(endpointOf);
  places = await walk(endpoints, async (endpoint, path, body, headers) => {
    const [method = ''] = endpoint.split(' ');
    let answer: Answer | undefined;
    const entries = await added(async () => {
      answer = await admin.send(method, path, { body, headers });
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    });
    done.push({ endpoint, path, body, entries });
    return { body: answer!.body, cookies: answer!.headers.getSetCookie() };
  });
});
afterAll(() => service.stop());

describe('a call that succeeds', () => {
  it('makes exactly one entry where something is changed, and none where it is read or pushed', () => {
    const rest = done.filter(({ endpoint }) => endpoint !== CALLBACK);
    const counts = rest.map(({ endpoint, entries }) => ({ endpoint, entries: entries.length }));
    expect(counts).toEqual(counts.map(({ endpoint }) => ({ endpoint, entries: isNoted(endpoint) ? 1 : 0 })));
    expect(counts.filter(({ entries }) => entries === 1).length).toBeGreaterThan(20);
  });

  it('signs in by a provider: the identity is noted when it is new, and the session', () => {
    const [first] = done.filter(({ endpoint }) => endpoint === CALLBACK);
    expect(first!.entries.map(({ action }) => action).toSorted()).toEqual(['identity.add', 'session.create']);
    for (const { via, actor } of first!.entries) expect([via, actor.type]).toEqual(['oidc', 'user']);
  });

  it.each(notedRows.filter((row) => row.method !== 'DELETE'))('is noted with what it did: $endpoint', async (row) => {
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
  });
});

describe('a call that is refused', () => {
  const other = (id: string): string => `${id.slice(0, -3)}xyz`;

  it.each(notedRows)('makes no entry: $endpoint', async (row) => {
    const path = pathOf(row.endpoint, places);
    const nowhere = pathOf(row.endpoint, Object.fromEntries(Object.entries(places).map(([k, id]) => [k, other(id)])));
    expect(
      await added(async () => {
        if (row.access !== 'open') expect((await clientOf(service.url, '').send(row.method, path)).status).toBe(401);
        if (row.body) {
          expect(await admin.send(row.method, path, { body: '{"name": ' })).toMatchObject(
            failure(400, 'VALIDATION_ERROR'),
          );
        }
        const status = row.makes ? 400 : 404;
        if (path !== nowhere) expect((await admin.send(row.method, nowhere, { body: {} })).status).toBe(status);
      }),
    ).toEqual([]);
  });
});

describe('a change that changes nothing', () => {
  // One that gives a check another ping URL does so each time.
  const repeatable = notedRows.filter(
    (row) => row.status === 200 && row.body && row.access !== 'respond' && !row.path.endsWith('/rotate-ping-url'),
  );

  it('may be sent to several endpoints', () => expect(repeatable.length).toBeGreaterThan(5));

  it.each(repeatable)('makes no entry, and leaves updated_at as it is: $endpoint', async (row) => {
    const { path, body } = done.findLast(({ endpoint }) => endpoint === row.endpoint)!;
    const first = await admin.send(row.method, path, { body });
    let second: typeof first | undefined;
    const entries = await added(async () => {
      second = await admin.send(row.method, path, { body });
    });
    expect(entries).toEqual([]);
    expect(second).toMatchObject({ status: 200, body: first.body });
  });
});

// The last of all, as nothing is left of the walk afterwards.
describe('what is deleted', () => {
  it('is noted once, with what it was, and not when it is gone already', async () => {
    for (const { endpoint, path, status } of deletions(places)) {
      const entries = await added(async () => expect((await admin.del(path)).status).toBe(204));
      expect(entries, endpoint).toHaveLength(1);
      expect(entries[0]!.changes.length, endpoint).toBeGreaterThan(0);
      for (const { to } of entries[0]!.changes) expect(to).toBeNull();
      if (status === 404) expect(await added(async () => expect((await admin.del(path)).status).toBe(404))).toEqual([]);
    }
  });
});
