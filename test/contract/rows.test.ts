import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointOf } from '#infra/docs/openapi.ts';
import { answeringNet } from '#infra/docs/record.ts';
import { pathOf, WALKED } from '#infra/docs/walk.ts';
import type { Places } from '#infra/docs/walk-steps.ts';
import { allRows } from '#lib/all-rows.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { keyMadeBy } from '#test/support/callers.ts';
import { type Answer, type Client, failure, newTenantOf } from '#test/support/client.ts';
import { type Service, startService } from '#test/support/service.ts';
import { walkAs } from '#test/support/walk-as.ts';

/** What holds of every row of the API, whoever calls it. A new row is here by itself, as in matrix.test.ts. */

const rows = allRows.map((row) => ({ ...row, endpoint: endpointOf(row) }));
const paths = [...new Set(rows.map((row) => row.path))];
type Row = (typeof rows)[number];

/** Stands still where answers are compared that tell of time up to now. */
let stopped: number | undefined;
const clock = { ...systemClock, now: () => stopped ?? systemClock.now() };

let service: Service;
let places: Places;
let admin: Client;
let reader: Client;
beforeAll(async () => {
  service = await startService({ env: WALKED, world: { net: answeringNet, clock } });
  admin = await newTenantOf(service);
  ({ places } = await walkAs(
    admin,
    rows.map((row) => row.endpoint),
  ));
  reader = await keyMadeBy(service, admin, { is_read_only: true });
});
afterAll(() => service.stop());

/** The endpoint on what the walk has made. */
const call = (
  client: Client,
  { method, endpoint }: Pick<Row, 'method' | 'endpoint'>,
  body?: unknown,
): Promise<Answer> => client.send(method, pathOf(endpoint, places), method === 'GET' ? {} : { body });

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
  /** But where other programs lead, with what they like. */
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
  const told = (headers: Headers) => Object.fromEntries([...headers].filter(([name]) => !own.includes(name)));

  beforeAll(() => {
    stopped = systemClock.now();
  });
  afterAll(() => {
    stopped = undefined;
  });

  it.each(rows.filter((row) => row.method === 'GET'))('answers as $endpoint does, without a body', async (row) => {
    for (const client of [admin, reader]) {
      const path = pathOf(row.endpoint, places);
      const [whole, bare] = [await client.get(path), await head(client, path)];
      expect(bare.status).toBe(whole.status);
      expect(told(bare.headers)).toEqual(told(whole.headers));
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
