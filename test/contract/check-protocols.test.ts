import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { type Client, clientOf, failure, keyOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { grpcServer } from '#test/support/grpc-server.ts';
import { type Service, startService } from '#test/support/service.ts';
import { httpTarget, type Target } from '#test/support/socket-target.ts';
import { blockedUrls, publicOnly } from '#test/support/ssrf-vectors.ts';

const DAY = 86_400_000;

let service: Service;
let client: Client;
let registry: Target;
beforeAll(async () => {
  registry = await httpTarget((request, response) => {
    const services = [[['com'], [`${registry.url}/com/`]]];
    const expires = new Date(Date.now() + 9.5 * DAY).toISOString();
    const events = [{ eventAction: 'expiration', eventDate: expires }];
    const body = request.url === '/dns.json' ? { services } : { objectClassName: 'domain', events };
    response.end(JSON.stringify(body));
  });
  service = await startService({ env: { RDAP_BOOTSTRAP_URL: `${registry.url}/dns.json` } });
  client = clientOf(service.url, service.adminKey);
});
afterAll(async () => {
  await service?.stop();
  await registry?.[Symbol.asyncDispose]();
});

const probed = async (settings: object) => {
  const { id } = await newCheck(client, settings);
  return eventually(async () => got(await client.get(`/v1/checks/${id}`), 200).last_result);
};

describe('a check by type', () => {
  it('is created, probed and shown for websocket', async () => {
    await using shop = await httpTarget(
      () => {},
      undefined,
      (server) => {
        new WebSocketServer({ server }).on('connection', (socket) => socket.send('price 12'));
      },
    );
    const url = shop.url.replace('http', 'ws');
    expect(await probed({ check_type: 'websocket', config: { url, expect: 'price' } })).toMatchObject({
      success: true,
    });
    expect(
      await probed({ check_type: 'websocket', config: { url: registry.url.replace('http', 'ws') } }),
    ).toMatchObject({
      success: false,
      error_kind: 'protocol',
      error_message: 'the server answered 200 (OK) instead of 101: it did not open a websocket',
    });
  });

  it('is created, probed and shown for grpc', async () => {
    await using cart = await grpcServer((name) => ({ health: name === 'shop.Cart' ? 1 : 2 }));
    const { host, port } = cart;
    const resultOf = (more: object) => probed({ check_type: 'grpc', config: { host, port, tls: false, ...more } });
    expect(await resultOf({ service: 'shop.Cart' })).toMatchObject({ success: true, error_kind: null });
    expect(await resultOf({})).toMatchObject({
      error_kind: 'protocol',
      error_message: 'health of the server is NOT_SERVING',
    });
  });

  it('is created, probed and shown for domain, every six hours by default', async () => {
    const made = await newCheck(client, { check_type: 'domain', config: { domain: 'example.com' } });
    expect(made).toMatchObject({ interval_seconds: 21_600, config: { min_days_remaining: 0 } });
    const config = { domain: 'example.com', min_days_remaining: 14 };
    expect(await probed({ check_type: 'domain', interval_seconds: 3600, config })).toMatchObject({
      success: false,
      status_code: 200,
      error_kind: 'expiry',
      error_message: expect.stringMatching(/^example\.com expires on \d{4}-\d\d-\d\d, in 9 days: renew it$/),
      days_left: 9,
    });
    const often = { check_type: 'domain', interval_seconds: 3599, config: { domain: 'example.com' } };
    expect(await client.post('/v1/checks/test', often)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'interval_seconds'),
    );
    expect(await client.put(`/v1/checks/${made.id}`, { interval_seconds: 60 })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'interval_seconds'),
    );
  });

  it('hides the message, headers and URL query of websocket from read-only keys', async () => {
    const admin = await newTenant();
    const { id } = await newCheck(admin, {
      check_type: 'websocket',
      enabled: false,
      config: { url: 'ws://127.77.0.1:9/live?token=s3cret', send: 's3cret', headers: { 'X-Key': 's3cret' } },
    });
    const reader = await keyOf(admin, { is_read_only: true });
    const read = await reader.get(`/v1/checks/${id}`);
    expect(got(read, 200).config).toEqual({
      url: 'ws://127.77.0.1:9/live?********',
      send: '********',
      headers: { 'X-Key': '********' },
    });
    expect(JSON.stringify([read.body, (await admin.get('/v1/audit')).body])).not.toContain('s3cret');
  });

  it.each([
    ['websocket', { url: 'http://127.77.0.1/' }, 'config.url'],
    ['websocket', { url: 'ws://127.77.0.1/', expect: 'a', matches: 'b' }, 'config.matches'],
    ['websocket', { url: 'ws://127.77.0.1/', matches: '(?<=a)b' }, 'config.matches'],
    ['websocket', { url: 'ws://127.77.0.1/', headers: { Upgrade: 'x' } }, 'config.headers.Upgrade'],
    ['grpc', { host: '127.77.0.1' }, 'config.port'],
    ['grpc', { host: '127.77.0.1', port: 1, service: 'x'.repeat(201) }, 'config.service'],
    ['domain', { domain: 'com' }, 'config.domain'],
    ['domain', { domain: '127.77.0.1' }, 'config.domain'],
    ['domain', { domain: 'https://example.com/' }, 'config.domain'],
  ])('is rejected for %s with %j', async (check_type, config, path) => {
    expect(await client.post('/v1/checks/test', { check_type, config })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', path),
    );
  });

  it.each(['icmp', 'ping', 'udp'])('does not exist for %s, and the error names an alternative', async (check_type) => {
    const response = await client.post('/v1/checks/test', { check_type, config: {} });
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'check_type'));
    expect(response.body.error).toBe(
      'check_type: must be one of http, tcp, tls, dns, websocket, grpc, domain, push; icmp is not supported: check an open port with tcp',
    );
  });
});

describe('a service restricted to public addresses', () => {
  const restricted = publicOnly();
  const vectors = blockedUrls.filter(({ url }) => /^https?:/.test(url) && URL.canParse(url));

  it('has vectors to test', () => expect(vectors.length).toBeGreaterThan(30));

  it.each(vectors)('sends nothing to $url: $why', async ({ url }) => {
    const { hostname: host } = new URL(url);
    for (const settings of [
      { check_type: 'websocket', config: { url: url.replace(/^http/, 'ws') } },
      { check_type: 'grpc', config: { host, port: 443 } },
    ]) {
      const response = await restricted().post('/v1/checks/test', { ...settings, timeout_ms: 1_000 });
      if (response.status === 400) continue;
      expect(response).toMatchObject({ status: 200, body: { success: false } });
      expect(response.body.error_kind).toBeOneOf(['egress', 'dns', 'timeout']);
    }
  });
});
