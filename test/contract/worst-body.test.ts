import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { create as ingest } from '#functions/ingest.ts';
import { pathOf, WALK_SETTINGS } from '#infra/docs/example-requests.ts';
import type { PathIds } from '#infra/docs/example-steps.ts';
import { endpointOf } from '#infra/docs/openapi.ts';
import { fakeNet } from '#infra/docs/record.ts';
import { gates } from '#lib/access/authenticate.ts';
import { onChange } from '#lib/alerting/on-change.ts';
import { allRoutes } from '#lib/all-routes.ts';
import { makeMcp } from '#lib/mcp/endpoint.ts';
import { makeRouter } from '#lib/platform/http/router.ts';
import { isNightly } from '#test/support/nightly.ts';
import { type Service, startService } from '#test/support/service.ts';
import { worstBodies } from '#test/support/worst-bodies.ts';
import { worstMessages, worstSkills } from '#test/support/worst-messages.ts';
import { walkAll } from '#test/support/worst-requests.ts';

/**
 * The worst bodies that the limits accept, for every route of the API. The bench measures their time
 * (`npm run bench -- --only worst-body`); this test asserts the limits that keep it small.
 */

const rows = allRoutes.filter((row) => row.body).map((row) => ({ ...row, endpoint: endpointOf(row) }));

/**
 * Step between tested bodies: all at night, else every fifth. 5 has no factor in common with the number of nasty
 * values, so that different places get different values.
 */
const EVERY = isNightly ? 1 : 5;

/** Limits of an error: details, length of a path, faults that are searched for, and length of the response. */
const MAX = { details: 100, path: 501, faults: 1000, answer: 200_000 };

let service: Service;
let pathIds: PathIds;
let good: ReadonlyMap<string, object>;
let router: ReturnType<typeof makeRouter>;
let pings: ReturnType<typeof ingest>;
let mcp: ReturnType<typeof makeMcp>;

const send = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
  const [rawPath = '', rawQueryString = ''] = path.split('?');
  const response = await (rawPath.startsWith('/ping/') ? pings : router)({
    rawPath,
    rawQueryString,
    ...(headers.cookie && { cookies: headers.cookie.split('; ') }),
    headers: { host: 'localhost:8787', authorization: `Bearer ${service.adminKey}`, ...headers },
    ...(body !== undefined && { body }),
    isBase64Encoded: false,
    requestContext: { requestId: 'r', http: { method, path: rawPath } },
  });
  return { status: response.statusCode, text: response.body, cookies: response.cookies ?? [] };
};

let writes = 0;
/** Returns the number of writes to the table so far. */
const written = () => writes;

beforeAll(async () => {
  service = await startService({ env: WALK_SETTINGS, world: { net: fakeNet } });
  const { table } = service.ports;
  const counted: typeof table = {
    ...table,
    putMany: (items) => {
      writes += 1;
      return table.putMany(items);
    },
    transact: (changes) => {
      writes += 1;
      return table.transact(changes);
    },
  };
  const ports = { ...service.ports, table: counted };
  router = makeRouter(allRoutes, gates({ ...service, ports, onChange })) as never;
  pings = ingest(ports);
  mcp = makeMcp({ ...service, ports, onChange }, { streams: false });
  ({ pathIds, good } = await walkAll(({ method, path, body, headers }) => send(method, path, body, headers)));
});
afterAll(() => service.stop());

function expectBounded(text: string): void {
  expect(text.length).toBeLessThan(MAX.answer);
  const { error, code, details = [] } = JSON.parse(text);
  expect(code).toMatch(/^[A-Z_]+$/);
  expect(error).toMatch(/\w+ \w+/);
  expect(Number(/\(and (\d+) more\)$/.exec(error)?.[1] ?? 0)).toBeLessThan(MAX.faults);
  expect(details.length).toBeLessThanOrEqual(MAX.details);
  for (const { path, message } of details) {
    expect(path.length).toBeLessThanOrEqual(MAX.path);
    expect(message).toMatch(/\w+ \w+/);
  }
}

describe('the worst body', () => {
  it.each(rows)(
    'is accepted for $endpoint, or rejected with a short error and nothing written',
    async (row) => {
      const path = pathOf(row.endpoint, pathIds);
      let refused = 0;
      for (const { name, text } of worstBodies(row, good.get(row.endpoint)!, EVERY)) {
        const before = written();
        const response = await send(row.method, path, text);
        expect(response.status, `${name}: ${response.text.slice(0, 200)}`).toBeLessThan(500);
        if (response.status < 400) continue;
        refused += 1;
        expectBounded(response.text);
        expect(written(), name).toBe(before);
      }
      expect(refused).toBeGreaterThan(isNightly ? 5 : 0);
    },
    60_000,
  );

  it('is accepted for a skill, or rejected with few errors', async () => {
    for (const { name, text } of worstSkills(pathIds.actions!)) {
      const response = await send('POST', '/v1/skills', text);
      expect([201, 400, 409], `${name}: ${response.text.slice(0, 200)}`).toContain(response.status);
      if (response.status === 400) expectBounded(response.text);
    }
  });

  it('gets a short response to an MCP message', async () => {
    for (const { name, text, headers } of worstMessages()) {
      const request = new Request('http://localhost/v1/mcp', {
        method: 'POST',
        body: text,
        headers: { host: 'localhost', authorization: `Bearer ${service.adminKey}`, ...headers },
      });
      const response = await mcp(request);
      expect(response.status, name).toBeLessThan(500);
      // The skills above have the maximum number of tools.
      if (!name.includes('tools/list')) expect((await response.text()).length, name).toBeLessThan(MAX.answer);
    }
  });

  it('gets one error for 80,000 empty fields', async () => {
    const body = `{"slug":"s","name":"S","fields":[${Array(80_000).fill('{}').join()}]}`;
    const { details } = JSON.parse((await send('POST', '/v1/blueprints', body)).text);
    expect(details).toEqual([{ path: '', message: expect.stringContaining('send fewer') }]);
    const fewer = `{"slug":"s","name":"S","fields":[${Array(201).fill('{}').join()}]}`;
    expect(JSON.parse((await send('POST', '/v1/blueprints', fewer)).text).details).toEqual([
      { path: 'fields', message: expect.stringContaining('at most 200 fields') },
    ]);
  });
});

describe('a blueprint', () => {
  const fields = (count: number, more: object = {}) =>
    Array.from({ length: count }, (_, i) => ({ name: `f${i}`, field_type: 'string', ...more }));
  const post = async (path: string, body: object) => {
    const { status, text } = await send('POST', path, JSON.stringify(body));
    return { status, body: JSON.parse(text) };
  };

  it('has at most 200 fields, however they were added', async () => {
    expect((await post('/v1/blueprints', { slug: 'full', name: 'Full', fields: fields(199) })).status).toBe(201);
    expect((await post('/v1/blueprints/full/fields', { name: 'last', field_type: 'url' })).status).toBe(201);
    const refused = await post('/v1/blueprints/full/fields', { name: 'more', field_type: 'url' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'LIMIT_EXCEEDED' } });
  });

  it('has defaults of at most 16 KB in total', async () => {
    const body = { slug: 'long', name: 'Long', fields: fields(17, { default_value: 'x'.repeat(1000) }) };
    expect(await post('/v1/blueprints', body)).toMatchObject({ status: 409, body: { code: 'LIMIT_EXCEEDED' } });
  });

  it('has entities with at most 16 KB of values, even when they are changed in steps', async () => {
    await post('/v1/blueprints', { slug: 'texts', name: 'Texts', fields: fields(2) });
    const [half, whole] = ['x'.repeat(9000), 'x'.repeat(17_000)];
    const refused = await post('/v1/blueprints/texts/entities', { slug: 'a', name: 'A', fields: { f0: whole } });
    expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', details: [{ path: 'fields' }] } });
    const made = await post('/v1/blueprints/texts/entities', { slug: 'a', name: 'A', fields: { f0: half } });
    expect(made.status).toBe(201);
    const put = await send('PUT', '/v1/blueprints/texts/entities/a', JSON.stringify({ fields: { f1: half } }));
    expect(put.status).toBe(400);
  });
});
