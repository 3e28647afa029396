import { beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority } from '#test/support/certificates.ts';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { dnsServer } from '#test/support/dns-server.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { closedPort, httpTarget, rawTarget } from '#test/support/socket-target.ts';
import { blockedUrls, publicOnly } from '#test/support/ssrf-vectors.ts';
import { tlsTarget } from '#test/support/tls-server.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const test = async (body: object) => got(await client.post('/v1/checks/test', body), 200);
const http = { check_type: 'http' };

describe('a settings test', () => {
  it('probes once and shows the response of the target', async () => {
    await using shop = await httpTarget((_, response) => {
      response.writeHead(503, { 'x-reason': 'deploying', 'set-cookie': 'session=abc' }).end('back in a minute');
    });
    expect(await test({ ...http, target_url: shop.url })).toMatchObject({
      success: false,
      status_code: 503,
      error_kind: 'status',
      error_message: 'expected status 200, got 503 (Service Unavailable)',
      response: {
        headers: { 'x-reason': 'deploying', 'set-cookie': '********' },
        body_excerpt: 'back in a minute',
        body_bytes: 16,
      },
    });
    expect(shop.connections()).toBe(1);
  });

  it('stores nothing', async () => {
    const tenant = await newTenant();
    await using shop = await httpTarget((_, response) => response.end());
    got(await tenant.post('/v1/checks/test', { ...http, target_url: shop.url }), 200);
    expect(got(await tenant.get('/v1/checks'), 200)).toEqual([]);
    expect(got(await tenant.get('/v1/audit'), 200)).toEqual(
      got(await tenant.get('/v1/audit'), 200).filter(({ action }: { action: string }) => !action.startsWith('check.')),
    );
  });

  it('supports tcp, tls and dns checks too', async () => {
    await using tcp = await rawTarget((socket) => socket.end());
    await using tls = await tlsTarget(await (await makeAuthority()).issue({ names: ['127.77.0.1'] }));
    await using dns = await dnsServer(() => ({
      records: Array.from({ length: 12 }, (_, i) => ({ type: 'A' as const, text: `192.0.2.${i}` })),
    }));
    const { host, port } = tcp;
    const config = { hostname: 'shop.example', record_type: 'a', resolver: dns.address, expected_value: '192.0.2.77' };
    expect(await test({ check_type: 'tcp', config: { host, port } })).toEqual({
      outcome: 'ok',
      success: true,
      status_code: 0,
      latency_ms: expect.any(Number),
      error_message: '',
      error_kind: null,
      warning_message: '',
      assertions: [],
    });
    expect(await test({ check_type: 'tcp', config: { host, port: await closedPort() } })).toMatchObject({
      success: false,
      error_kind: 'connect',
    });
    expect(await test({ check_type: 'tls', config: { host, port: tls.port } })).toMatchObject({
      error_kind: 'tls',
      days_left: 89,
    });
    const dnsResult = await test({ check_type: 'dns', config });
    expect(dnsResult).toMatchObject({ success: false, error_kind: 'dns' });
    expect(dnsResult.records).toHaveLength(10);
    expect(dnsResult.records).toContain('192.0.2.3');
  });

  it('succeeds with an endless, incomplete or stalled body, as a probe does', async () => {
    await using endless = await httpTarget((_, response) => {
      response.writeHead(200);
      const more = setInterval(() => response.write('tick '), 20);
      response.on('close', () => clearInterval(more));
    });
    const found = await test({ ...http, target_url: endless.url, timeout_ms: 10_000 });
    expect(found).toMatchObject({ success: true, response: { body_excerpt: expect.stringMatching(/^tick tick/) } });
    await using broken = await rawTarget((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf of');
    });
    expect(await test({ ...http, target_url: broken.url })).toMatchObject({
      success: true,
      error_kind: null,
      response: { body_excerpt: 'half of', body_bytes: 7 },
    });
    await using stalled = await rawTarget((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n');
    });
    expect(await test({ ...http, target_url: stalled.url, timeout_ms: 400 })).toMatchObject({ success: true });
  });

  it('shows 2,000 characters of a long body and searches all of it', async () => {
    const body = `${'ä😀'.repeat(3_000)} the end`;
    await using shop = await httpTarget((_, response) => response.end(body));
    const { response, success } = await test({ ...http, target_url: shop.url, body_contains: 'the end' });
    expect(success).toBe(true);
    expect([...response.body_excerpt]).toHaveLength(2_000);
    expect(body.startsWith(response.body_excerpt)).toBe(true);
    expect(response.body_bytes).toBe(Buffer.byteLength(body));
    expect((await test({ ...http, target_url: shop.url, body_contains: 'nowhere' })).error_message).toBe(
      'the body does not contain "nowhere" (searched 18 KB)',
    );
  });

  it('fails with a timeout when the target does not respond', async () => {
    await using shop = await httpTarget(() => {});
    const found = await test({ ...http, target_url: shop.url, timeout_ms: 150 });
    expect(found).toMatchObject({ success: false, error_kind: 'timeout' });
    expect(found).not.toHaveProperty('response');
  });

  it('masks sent values that the target echoes', async () => {
    await using mirror = await httpTarget((request, response) => {
      const { authorization } = request.headers;
      request.on('data', (sent) =>
        response.setHeader('x-seen', `${authorization}`).end(`you sent ${authorization} ${sent}`),
      );
    });
    const config = { headers: { authorization: 'Bearer s3cr3t-t0ken' }, body: '{"password": "hunter2-hunter2"}' };
    const found = await test({ ...http, target_url: mirror.url, method: 'POST', config });
    expect(found.success).toBe(true);
    expect(JSON.stringify(found)).not.toMatch(/s3cr3t|hunter2/);
  });
});

describe('a settings test of changes to a check', () => {
  it('applies them to the stored settings, including secrets, and changes nothing', async () => {
    const seen: unknown[] = [];
    await using shop = await httpTarget((request, response) => {
      seen.push([request.url, request.headers['x-token'], request.headers['x-more']]);
      response.end('ready');
    });
    const config = { headers: { 'X-Token': 's3cr3t-t0ken' } };
    const check = await newCheck(client, { ...http, target_url: `${shop.url}/old`, config, enabled: false });
    const changes = { check_id: check.id, target_url: `${shop.url}/new`, body_contains: 'ready' };
    expect(await test(changes)).toMatchObject({ success: true });
    expect(await test({ ...changes, config: { headers: { 'X-More': '1' } } })).toMatchObject({ success: true });
    expect(seen).toEqual([
      ['/new', 's3cr3t-t0ken', undefined],
      ['/new', undefined, '1'],
    ]);
    const stored = got(await client.get(`/v1/checks/${check.id}`), 200);
    expect(stored).toMatchObject({
      target_url: `${shop.url}/old`,
      config,
      updated_at: check.updated_at,
      last_result: null,
    });
  });

  it('tests the stored settings when there are no changes', async () => {
    await using shop = await httpTarget((_, response) => response.end());
    const check = await newCheck(client, { ...http, target_url: shop.url, enabled: false });
    expect(await test({ check_id: check.id })).toMatchObject({ success: true });
  });

  it('rejects changes that PUT would reject', async () => {
    const check = await newCheck(client, { ...http, target_url: 'http://127.77.0.1:9/', enabled: false });
    const path = async (body: object) => {
      const response = await client.post('/v1/checks/test', { check_id: check.id, ...body });
      expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR'));
      return response.body.details[0].path;
    };
    expect(await path({ check_type: 'tcp' })).toBe('check_type');
    expect(await path({ entity_id: 'ent_other' })).toBe('entity_id');
    expect(await path({ target_url: 'http://169.254.169.254/' })).toBe('target_url');
    expect(await path({ config: { header: {} } })).toBe('config.header');
    expect(await path({ expected_status: 'ok' })).toBe('expected_status');
  });

  it('requires a check of the account', async () => {
    const foreign = await newCheck(await newTenant(), { ...http, target_url: 'http://127.77.0.1:9/', enabled: false });
    for (const check_id of [foreign.id, 'chk_none', '#/'])
      expect(await client.post('/v1/checks/test', { check_id })).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('a settings test that is rejected', () => {
  it.each<[string, object, string]>([
    ['no settings', {}, 'check_type'],
    ['an unknown type', { check_type: 'ping' }, 'check_type'],
    ['a push check', { check_type: 'push' }, 'check_type'],
    ['an http check without a target', http, 'target_url'],
    ['a target that is not a URL', { ...http, target_url: 'shop' }, 'target_url'],
    ['an entity', { ...http, target_url: 'http://127.77.0.1/', entity_id: 'ent_1' }, 'entity_id'],
    ['an unknown property', { ...http, target_url: 'http://127.77.0.1/', expect: 200 }, 'expect'],
    ['an unknown property of config', { check_type: 'tcp', config: { host: 'a', prot: 1 } }, 'config.prot'],
    ['a timeout over 30 s', { ...http, target_url: 'http://127.77.0.1/', timeout_ms: 30_001 }, 'timeout_ms'],
    ['a check_id that is not text', { check_id: 7 }, 'check_id'],
    ['the metadata address of the cloud', { ...http, target_url: 'http://169.254.169.254/' }, 'target_url'],
  ])('has %s', async (_what, body, path) => {
    const response = await client.post('/v1/checks/test', body);
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(response.body.details.map((one: { path: string }) => one.path)).toContain(path);
  });

  it('has a stored push check', async () => {
    const { id } = await newCheck(client);
    const response = await client.post('/v1/checks/test', { check_id: id });
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(response.body.error).toBe(
      'check_id: cannot be tested: a job or program posts the results of a push check, and the service does not probe it',
    );
  });
});

describe('a service restricted to public addresses', () => {
  const restricted = publicOnly();

  it('has vectors to test', () => expect(blockedUrls.length).toBeGreaterThan(30));

  it.each(blockedUrls)('does not reveal $url in a settings test: $why', async ({ url }) => {
    const response = await restricted().post('/v1/checks/test', { ...http, target_url: url, timeout_ms: 1_000 });
    if (response.status === 400) return;
    expect(response).toMatchObject({ status: 200, body: { success: false, status_code: 0 } });
    expect(response.body).not.toHaveProperty('response');
  });
});
