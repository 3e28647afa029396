import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setLimits } from '#lib/access/change-account.ts';
import {
  type ApiResponse,
  type Client,
  clientOf,
  failure,
  newTenantOf,
  statuses,
  times,
} from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { type Service, startService } from '#test/support/service.ts';
import { startReceiver } from '#test/support/webhook-receiver.ts';

const RATE_LIMITS = 'read=2/10,write=2/40,push=500/5000,mcp=1/8,send=1/3,store=1/64,open=1/6,sign-in=1/2';

let service: Service;
let now = Date.UTC(2026, 10, 21);
/** A clock that moves only when a test advances it. */
const clock = { now: () => now, sleep: () => new Promise<void>(setImmediate), stalled: () => 0 };
const advance = (seconds: number) => {
  now += seconds * 1000;
};
beforeAll(async () => {
  service = await startService({ env: { RATE_LIMITS }, world: { clock } });
});
afterAll(() => service.stop());

const tenant = () => newTenantOf(service);
const rateHeadersOf = ({ headers }: ApiResponse) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];

describe('the rate limit of an account', () => {
  it('is in every response to its keys, even in errors', async () => {
    const client = await tenant();
    expect(rateHeadersOf(await client.get('/v1/me'))).toEqual(['"read";q=10;w=5', '"read";r=9;t=1']);
    expect(rateHeadersOf(await client.get('/v1/nowhere'))).toEqual(['"read";q=10;w=5', '"read";r=8;t=1']);
    expect(rateHeadersOf(await client.get('/v1/blueprints?limit=0'))).toEqual(['"read";q=10;w=5', '"read";r=7;t=2']);
    expect(rateHeadersOf(await client.post('/v1/blueprints', {}))).toEqual(['"write";q=40;w=20', '"write";r=39;t=1']);
    expect(rateHeadersOf(await clientOf(service.url, '').get('/v1/health'))).toEqual([null, null]);
  });

  it('rejects excess requests with the limit and the wait, and accepts them later', async () => {
    const client = await tenant();
    expect(await statuses(10, () => client.get('/v1/me'))).toEqual(Array(10).fill(200));
    const refused = await client.get('/v1/me');
    expect(refused).toMatchObject(failure(429, 'RATE_LIMITED'));
    expect(refused.body.error).toBe(
      'Too many requests of the class read: 2 per second, with a burst of 10. Try again in 1 s.',
    );
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(rateHeadersOf(refused)).toEqual(['"read";q=10;w=5', '"read";r=0;t=5']);
    advance(1);
    expect(await statuses(3, () => client.get('/v1/me'))).toEqual([200, 200, 429]);
  });

  it('counts one more request for each further 4 KB of a response', async () => {
    const client = await tenant();
    const fields = { text: 'x'.repeat(6_500) };
    const field = { name: 'text', field_type: 'string' };
    got(await client.post('/v1/blueprints', { slug: 'service', name: 'Service', fields: [field] }), 201);
    for (const slug of ['a', 'b'])
      got(await client.post('/v1/blueprints/service/entities', { slug, name: slug, fields }), 201);
    const list = () => client.get('/v1/blueprints/service/entities');
    expect(rateHeadersOf(await list())[1]).toBe('"read";r=9;t=1');
    // 13 KB: the list itself, and three more.
    expect(rateHeadersOf(await client.get('/v1/me'))[1]).toBe('"read";r=5;t=3');
    await list();
    expect((await list()).status).toBe(200);
    expect((await list()).status).toBe(429);
  });

  it('is checked before everything except the key', async () => {
    const client = await tenant();
    await times(10, () => client.get('/v1/me'));
    expect(await client.get('/v1/nowhere')).toMatchObject(failure(429, 'RATE_LIMITED'));
    expect(await clientOf(service.url, 'fw_none').get('/v1/nowhere')).toMatchObject(failure(401, 'UNAUTHORIZED'));
    advance(10);
  });

  it('is shared by its keys and not by other accounts', async () => {
    const client = await tenant();
    const other = await tenant();
    const second = clientOf(service.url, got(await client.post('/v1/auth/keys', { label: 'Second' }), 201).key);
    await times(5, () => client.get('/v1/me'));
    expect(await statuses(6, () => second.get('/v1/me'))).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await client.get('/v1/me')).status).toBe(429);
    expect((await other.get('/v1/me')).status).toBe(200);
  });

  it('never rejects a heartbeat or a pipeline report when reads and writes are exhausted', async () => {
    const client = await tenant();
    const check = await newCheck(client);
    await times(10, () => client.get('/v1/me'));
    await times(40, () => client.post('/v1/blueprints', {}));
    expect([(await client.get('/v1/me')).status, (await client.post('/v1/blueprints', {})).status]).toEqual([429, 429]);
    const beat = await client.post(`/v1/checks/${check.id}/heartbeat`);
    expect([beat.status, ...rateHeadersOf(beat)]).toEqual([201, '"push";q=5000;w=10', '"push";r=4999;t=1']);
    expect((await client.post(`/v1/checks/${check.id}/results`, { success: true, latency_ms: 1 })).status).toBe(201);
    expect((await client.post('/v1/actions/executions/exe_1/events', { status: 'running' })).status).toBe(404);
  });

  it('can be set per account, effective immediately for all its keys', async () => {
    const client = await tenant();
    const scope = { ports: service.ports, keys: service.keys, tenant: client.id, origin: 'operator' } as const;
    await setLimits(scope, {}, { read: { per_second: 1, burst: 2 } });
    expect((await client.get('/v1/me')).body.rate_limits).toEqual({
      read: { per_second: 1, burst: 2 },
      write: { per_second: 2, burst: 40 },
      push: { per_second: 500, burst: 5000 },
      mcp: { per_second: 1, burst: 8 },
      send: { per_second: 1, burst: 3 },
      store: { per_second: 1, burst: 64 },
    });
    expect(await statuses(2, () => client.get('/v1/me'))).toEqual([200, 429]);
    await setLimits(scope, {}, { read: null });
    advance(1);
    expect(rateHeadersOf(await client.get('/v1/me'))[0]).toBe('"read";q=10;w=5');
  });
});

describe('stored bytes', () => {
  it('are limited per account, for API requests and for tools', async () => {
    const client = await tenant();
    const { id } = got(await client.post('/v1/incidents', { title: 'Slow', impact: 'none' }), 201);
    const note = { text: 'x'.repeat(4000) };
    const add = () => client.post(`/v1/incidents/${id}/notes`, note);
    expect(await statuses(16, add)).toEqual([...Array.from({ length: 15 }, () => 201), 429]);
    const refused = await add();
    expect(refused).toMatchObject(failure(429, 'RATE_LIMITED'));
    expect(refused.body.error).toBe(
      'Too much data to store, class store: 1 KB per second, with a burst of 64 KB. Try again in 1 s.',
    );
    expect((await client.get(`/v1/incidents/${id}`)).status).toBe(200);
    const tool = { name: 'add_incident_note', arguments: { incident_id: id, ...note } };
    const { body } = await client.post('/v1/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool });
    expect(body.result).toMatchObject({ isError: true });
    expect(body.result.content[0].text).toContain('Too much data to store');
    advance(4);
    expect((await add()).status).toBe(201);
  });
});

describe('requests of the class send', () => {
  it('have their own limit: channel tests and executions, also through a tool', async () => {
    const client = await tenant();
    const receiver = await startReceiver();
    const check = await newCheck(client);
    const channels = `/v1/checks/${check.id}/policy/channels`;
    const channel = got(await client.post(channels, { channel_type: 'slack', config: { url: receiver.url } }), 201);
    const action = got(
      await client.post('/v1/actions', {
        name: 'A',
        url: 'https://127.77.0.9:1/',
        trigger_type: 'manual',
        timeout_ms: 1000,
      }),
      201,
    );
    const test = () => client.post(`${channels}/${channel.id}/test`);
    expect(await statuses(4, test)).toEqual([200, 200, 200, 429]);
    expect(receiver.received).toHaveLength(3);
    const run = await client.post(`/v1/actions/${action.id}/run`);
    expect(run).toMatchObject(failure(429, 'RATE_LIMITED'));
    expect(run.body.error).toContain('the class send: 1 per second, with a burst of 3');

    const tool = { name: 'go', description: 'Go', inputSchema: { type: 'object' }, action_id: action.id };
    got(await client.post('/v1/skills', { slug: 's', name: 'S', tools: [tool] }), 201);
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'go', arguments: {} } };
    const called = await client.send('POST', '/v1/mcp', { body });
    expect(called).toMatchObject({ status: 200, body: { result: { isError: true } } });
    expect(called.body.result.content[0].text).toContain('RATE_LIMITED');
    expect((await client.get('/v1/notify/logs')).body).toHaveLength(3);
    await receiver.close();
  });

  it('send nothing to a receiver that requested a pause, and report that', async () => {
    const client = await tenant();
    const receiver = await startReceiver();
    receiver.behave({ status: 429, headers: { 'retry-after': '30' } });
    const check = await newCheck(client);
    const channels = `/v1/checks/${check.id}/policy/channels`;
    const channel = got(await client.post(channels, { channel_type: 'slack', config: { url: receiver.url } }), 201);
    const test = () => client.post(`${channels}/${channel.id}/test`);
    const first = got(await test(), 200);
    expect(first).toMatchObject({ status: 'failed', attempts: 1 });
    expect(first.error).toMatch(/429.*; try again in 33 s$/);
    advance(10);
    const second = got(await test(), 200);
    expect(second).toMatchObject({ status: 'failed', attempts: 0, kind: 'test' });
    expect(second.error).toMatch(/^not sent: .* try again in 2[45] s$/);
    expect(receiver.received).toHaveLength(1);
    receiver.behave({ status: 200 });
    advance(60);
    expect(got(await test(), 200)).toMatchObject({ status: 'sent' });
    await receiver.close();
  });
});

describe('MCP messages', () => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const mcp = (client: Client, body: unknown) => client.send('POST', '/v1/mcp', { body });

  it('have their own limit, in which each message of a batch counts', async () => {
    const client = await tenant();
    const one = await mcp(client, ping(1));
    expect([one.status, ...rateHeadersOf(one)]).toEqual([200, '"mcp";q=8;w=8', '"mcp";r=7;t=1']);
    const five = await mcp(client, [1, 2, 3, 4, 5].map(ping));
    expect([five.status, ...rateHeadersOf(five)]).toEqual([200, '"mcp";q=8;w=8', '"mcp";r=2;t=6']);
    const more = await mcp(client, [1, 2, 3, 4].map(ping));
    expect(more).toMatchObject(failure(429, 'RATE_LIMITED'));
    expect(more.headers.get('retry-after')).toBe('2');
    expect((await client.get('/v1/me')).status).toBe(200);
  });
});

describe('a client address without a valid key', () => {
  let clients = 0;
  /** Returns a function that sends requests from an address, with this machine as a trusted proxy. */
  const from = (address: string, key = '') => {
    const { send } = clientOf(service.url, key);
    return (path: string, method = 'GET', body?: unknown) =>
      send(method, path, { headers: { 'x-forwarded-for': `198.51.100.9, ${address}` }, body });
  };

  it.each([
    ['no key', '', '/v1/me'],
    ['a text that is not a key', 'nonsense', '/v1/mcp'],
    ['an unknown key', `fw_${'x'.repeat(43)}`, '/v1/nowhere'],
    ['an endpoint without keys', '', '/v1/health'],
    ['an unknown path without keys', '', '/.well-known/oauth-protected-resource'],
  ])('is limited with %s', async (_what, key, path) => {
    const request = from(`192.0.2.${++clients}`, key);
    const before = await times(6, () => request(path));
    expect(before.map(({ status }) => status)).not.toContain(429);
    const refused = await request(path);
    expect(refused).toMatchObject(failure(429, 'RATE_LIMITED'));
    expect(refused.body.error).toBe(
      'Too many requests of the class open: 1 per second of an address, with a burst of 6. Try again in 1 s.',
    );
    advance(1);
    expect((await request(path)).status).toBe(before[0]!.status);
  });

  it('does not limit valid keys at the same address', async () => {
    const client = await tenant();
    const bad = from('192.0.2.200', `fw_${'y'.repeat(43)}`);
    expect((await times(20, () => bad('/v1/me'))).at(-1)!.status).toBe(429);
    expect((await from('192.0.2.200', client.key)('/v1/me')).status).toBe(200);
  });

  it('covers a whole /64 of IPv6', async () => {
    let host = 0;
    const request = () => from(`2001:db8:0:1::${(++host).toString(16)}`)('/v1/health');
    expect(await statuses(7, request)).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect((await from('2001:db8:0:2::1')('/v1/health')).status).toBe(200);
  });

  it('can try only a few invitation tokens', async () => {
    const accept = () => from('192.0.2.77')('/v1/invitations/accept', 'POST', { token: 'fwi_none', name: 'N' });
    const responses = await times(3, accept);
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 429]);
    expect(responses[2]!.body.error).toContain('the class sign-in: 1 per second of an address, with a burst of 2');
  });
});

it('omits the rate headers when limits are off', async () => {
  const free = await startService({ env: { RATE_LIMITS: 'off' } });
  const client = clientOf(free.url, free.adminKey);
  const responses = await Promise.all(Array.from({ length: 50 }, () => client.get('/v1/me')));
  for (const response of responses) expect([response.status, ...rateHeadersOf(response)]).toEqual([200, null, null]);
  expect(responses[0]!.body.rate_limits).toBeNull();
  await free.stop();
});

it('exposes the rate headers to pages of another origin', async () => {
  const client = await tenant();
  const response = await client.send('GET', '/v1/me', { headers: { origin: 'https://app.example' } });
  const exposed = response.headers.get('access-control-expose-headers')!.split(',');
  expect(exposed).toEqual(expect.arrayContaining(['ratelimit', 'ratelimit-policy', 'retry-after']));
});
