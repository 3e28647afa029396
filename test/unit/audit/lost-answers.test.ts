import { describe, expect, it } from 'vitest';
import { WALK_SETTINGS, walk } from '#infra/docs/example-requests.ts';
import { endpointOf } from '#infra/docs/openapi.ts';
import { fakeNet } from '#infra/docs/record.ts';
import { gates } from '#lib/access/authenticate.ts';
import { allRoutes } from '#lib/all-routes.ts';
import type { AuditItem } from '#lib/audit/entry.ts';
import { makeRouter } from '#lib/platform/http/router.ts';
import type { Table } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { readSettings } from '#lib/settings.ts';
import { auditedRoutes, deletions, entriesOf } from '#test/support/audited-routes.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

/**
 * After a lost response, the table client sends a write again; after a conflict, the use case does. Either way the
 * change is made once and has one audit entry.
 */

/**
 * Whether an endpoint writes, and its write can be repeated. A sign-in through an identity provider cannot: its
 * response is used before the table write, so after a loss the user signs in again.
 */
const isRepeatable = (endpoint: string): boolean => !/^GET |oidc|identities/.test(endpoint);

/** Performs each write, loses its response, and sends it again. */
const sentTwice = (table: Table): Table => ({
  ...table,
  transact: async (writes) => {
    await table.transact(writes);
    return table.transact(writes);
  },
});

/** Rejects every other transaction with a conflict. */
const inConflict = (table: Table): Table => {
  let count = 0;
  return {
    ...table,
    transact: async (writes) =>
      writes.length > 1 && count++ % 2 === 0
        ? { ok: false, failed: [], present: writes.map(() => undefined), conflict: true }
        : table.transact(writes),
  };
};

describe.each([
  ['is sent twice because its response was lost', sentTwice],
  ['conflicts with a concurrent one', inConflict],
])('audit entries when every write %s', (_name, wrap) => {
  it('are written once per success of every endpoint', async () => {
    const world = memoryWorld(wrap);
    world.ports.settings = readSettings(WALK_SETTINGS);
    world.ports.net = { ...world.ports.net, ...fakeNet };
    const { key, account } = await world.account();
    const router = makeRouter(allRoutes, gates(world));
    const log = async () => {
      const partitions = world.keys.buckets.map((bucket) => world.keys.audit(account.id, bucket));
      return (await Promise.all(partitions.map((partition) => allOf<AuditItem>(world.store, { partition })))).flat();
    };
    const counts: { endpoint: string; entries: number }[] = [];
    const call = async (endpoint: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
      const [method = ''] = endpoint.split(' ');
      world.advance(1000);
      const before = (await log()).length;
      const [rawPath = '', rawQueryString = ''] = path.split('?');
      const result = await router({
        rawPath: decodeURIComponent(rawPath),
        rawQueryString,
        headers: { authorization: `Bearer ${key.key}`, host: 'localhost', ...more },
        body: body === undefined ? undefined : JSON.stringify(body),
        isBase64Encoded: false,
        requestContext: { requestId: 'r', http: { method, path: rawPath } },
      });
      if (result.statusCode >= 400) throw new Error(`${endpoint}: ${result.statusCode} ${result.body}`);
      counts.push({ endpoint, entries: (await log()).length - before });
      const isJson = result.headers['content-type']?.startsWith('application/json');
      return { body: isJson ? JSON.parse(result.body) : undefined, cookies: [] };
    };
    const endpoints = allRoutes.map(endpointOf).filter(isRepeatable);
    const pathIds = await walk(endpoints, call);
    for (const { endpoint, path } of deletions(
      pathIds,
      auditedRoutes.filter(({ endpoint }) => isRepeatable(endpoint)),
    ))
      await call(endpoint, path);
    expect(counts).toEqual(counts.map(({ endpoint }) => ({ endpoint, entries: entriesOf(endpoint) })));
    expect(counts.length).toBeGreaterThan(auditedRoutes.length);
  });
});
