import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, disableAccount, enableAccount } from '#lib/access/change-account.ts';
import { clientOf, newTenantOf } from '#test/support/client.ts';
import { got, newBlueprint, newCheck } from '#test/support/fleet.ts';
import { memoryLog } from '#test/support/log.ts';
import { type PingResponse, pingPathOf, sendPing, statusAndText } from '#test/support/pings.ts';
import { type Service, startService } from '#test/support/service.ts';

const RATE_LIMITS = 'read=1000/1000,write=1000/1000,push=1/12,open=1/6,ping=1/30,ping-url=1/4';

let service: Service;
const log = memoryLog();
let now = Date.UTC(2026, 10, 22);
/** A clock that moves only when a test advances it. */
const clock = { now: () => now, sleep: () => new Promise<void>(setImmediate), stalled: () => 0 };
beforeAll(async () => {
  service = await startService({ env: { RATE_LIMITS }, world: { clock }, log });
});
afterAll(() => service.stop());

const tenant = () => newTenantOf(service);
const pingAt = (path: string) => sendPing(path, {}, service.url);
async function times(count: number, send: () => Promise<PingResponse>): Promise<string[]> {
  const all: string[] = [];
  for (let i = 0; i < count; i++) all.push(statusAndText(await send()));
  return all;
}

/** Advances the clock by a minute, which refills all rate limits. */
const advanceMinute = () => {
  now += 60_000;
};

describe('the rate limit of pings', () => {
  it('applies to one URL: a burst, then 429 with Retry-After, until tokens are available', async () => {
    const job = await newCheck(await tenant());
    const path = pingPathOf(job.ping_url);
    expect(await times(4, () => pingAt(path))).toEqual(Array(4).fill('200 OK'));
    const refused = await pingAt(path);
    expect(statusAndText(refused)).toBe('429 rate limited');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('ping-body-limit')).toBe('10000');
    now += 1000;
    expect(await times(2, () => pingAt(path))).toEqual(['200 OK', '429 rate limited']);
    advanceMinute();
  });

  it('applies to all checks of an account; other accounts are not affected', async () => {
    const [client, other] = [await tenant(), await tenant()];
    const jobs = [];
    for (let i = 0; i < 5; i++) jobs.push(pingPathOf((await newCheck(client)).ping_url));
    const responses: string[] = [];
    for (const path of jobs) responses.push(...(await times(3, () => pingAt(path))));
    expect(responses.filter((one) => one === '200 OK')).toHaveLength(12);
    expect(responses.filter((one) => one === '429 rate limited')).toHaveLength(3);
    expect(statusAndText(await pingAt(pingPathOf((await newCheck(other)).ping_url)))).toBe('200 OK');
    advanceMinute();
  });

  it('applies to one client address before the table is read', async () => {
    const responses = [];
    for (let i = 0; i < 32; i++) responses.push(statusAndText(await pingAt(`/ping/${randomUUID()}`)));
    expect(responses).toEqual([...Array(30).fill('404 not found'), '429 rate limited', '429 rate limited']);
    advanceMinute();
  });
});

it('remembers an unknown UUID for a minute, without a read of the table', async () => {
  let reads = 0;
  const { get } = service.ports.table;
  service.ports.table.get = ((key: never) => {
    reads++;
    return get(key);
  }) as typeof get;
  try {
    const path = `/ping/${randomUUID()}`;
    expect(await times(3, () => pingAt(path))).toEqual(Array(3).fill('404 not found'));
    expect(reads).toBe(1);
    advanceMinute();
    expect(statusAndText(await pingAt(path))).toBe('404 not found');
    expect(reads).toBe(2);
  } finally {
    service.ports.table.get = get;
    advanceMinute();
  }
});

it('returns 404 for a disabled account until it is enabled', async () => {
  const client = await tenant();
  const job = await newCheck(client);
  const path = pingPathOf(job.ping_url);
  expect(statusAndText(await pingAt(path))).toBe('200 OK');
  const scope = { ports: service.ports, keys: service.keys, tenant: client.id, origin: 'operator' } as const;
  await disableAccount(scope);
  expect(statusAndText(await pingAt(path))).toBe('404 not found');
  await enableAccount(scope);
  expect(statusAndText(await pingAt(path))).toBe('200 OK');
  advanceMinute();
});

it.each([
  ['entities of one blueprint', { entity_limit_per_bp: 0 }, /^409 The account may have 0 entities/],
  ['checks of an entity', { check_limit_per_entity: 0 }, /^409 The entity has the maximum of 0 checks/],
  ['checks', { check_limit: 0 }, /^409 .*check_limit/],
])('rejects a ping that would create a check at the limit of %s', async (_name, limits, expected) => {
  const account = { email: 'ann@example.com', name: 'Ann', ...limits };
  const client = clientOf(service.url, (await createAccount(service, account, { sharedEmail: true })).key.key);
  const blueprint_slug = await newBlueprint(client);
  const { key } = got(await client.post('/v1/ping-keys', { label: 'all', blueprint_slug }), 201);
  expect(statusAndText(await pingAt(`/ping/${key}/nightly?create=1`))).toMatch(expected);
  expect(statusAndText(await pingAt(`/ping/${key}/nightly`))).toBe('404 not found');
  advanceMinute();
});

it('keeps the path of a ping out of the log', async () => {
  const job = await newCheck(await tenant());
  const path = pingPathOf(job.ping_url);
  await times(6, () => pingAt(path));
  const lines = JSON.stringify(log.lines);
  expect(lines).toContain('request refused');
  expect(lines).not.toContain(path.slice('/ping/'.length));
});
