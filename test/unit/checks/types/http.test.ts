import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { probeCheck } from '#test/support/probe-check.ts';
import { probeWorld } from '#test/support/probe-world.ts';
import { httpTarget, rawTarget } from '#test/support/socket-target.ts';

const probe = (target_url: string, more: object = {}, world = probeWorld()) =>
  probeCheck({ check_type: 'http', target_url, ...more }, world);

describe('an http check', () => {
  it('succeeds with the expected status', async () => {
    await using target = await httpTarget((_req, res) => res.end('fine'));
    const outcome = await probe(target.url);
    expect(outcome).toEqual({
      success: true,
      status_code: 200,
      latency_ms: outcome.latency_ms,
      error_message: '',
      error_kind: null,
    });
    expect(outcome.latency_ms).toBeLessThan(2_000);
  });

  it('sends its method, headers and body', async () => {
    let seen = {};
    await using target = await httpTarget((req, res) => {
      req.on('data', (chunk) => {
        seen = { method: req.method, token: req.headers['x-token'], body: `${chunk}` };
        res.writeHead(201).end();
      });
    });
    const outcome = await probe(target.url, {
      method: 'PATCH',
      expected_status: 201,
      config: { headers: { 'X-Token': 't' }, body: '{"a":1}' },
    });
    expect(outcome.success).toBe(true);
    expect(seen).toEqual({ method: 'PATCH', token: 't', body: '{"a":1}' });
  });

  it('fails with another status and reports it', async () => {
    await using target = await httpTarget((_req, res) => res.writeHead(503).end());
    expect(await probe(target.url)).toMatchObject({
      success: false,
      status_code: 503,
      error_kind: 'status',
      error_message: 'expected status 200, got 503 (Service Unavailable)',
    });
  });

  it('fails if the text is not in the body', async () => {
    await using target = await httpTarget((_req, res) => res.end('all is lost'));
    expect(await probe(target.url, { body_contains: 'is lost' })).toMatchObject({ success: true });
    expect(await probe(target.url, { body_contains: 'ok' })).toMatchObject({
      success: false,
      status_code: 200,
      error_kind: 'body',
      error_message: 'the body does not contain "ok" (searched 11 bytes)',
    });
  });

  it.each([
    ['if body_contains is empty', {}, true],
    ['if the status is wrong', { expected_status: 201, body_contains: 'ok' }, false],
  ])('does not wait for a body %s', async (_what, more, success) => {
    await using target = await rawTarget((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'));
    const kind = success ? null : 'status';
    expect(await probe(target.url, more)).toMatchObject({ success, status_code: 200, error_kind: kind });
  });

  it('finds a text anywhere in the first 1 MB, in the charset of the target', async () => {
    const text = 'grüßen läßt';
    await using target = await httpTarget((req, res) => {
      res.setHeader('content-type', 'text/plain; charset=iso-8859-1');
      res.write(Buffer.alloc(Number(req.url!.slice(1)), 'x'));
      res.end(Buffer.from(text, 'latin1'));
    });
    for (const before of [0, 16_380, 16_384, 600_000, 1024 * 1024 - text.length]) {
      const outcome = await probe(`${target.url}/${before}`, { body_contains: text });
      expect(outcome, `${before} bytes before it`).toMatchObject({ success: true });
    }
  });

  it('searches only the first 1 MB of the body', async () => {
    await using target = await httpTarget((_req, res) => {
      res.write(Buffer.alloc(1024 * 1024, 'x'));
      res.end('needle');
    });
    expect(await probe(target.url, { body_contains: 'needle' })).toMatchObject({
      error_kind: 'body',
      error_message: 'the body does not contain "needle" (searched its first 1 MB)',
    });
  });

  it('explains why a HEAD response contains no text', async () => {
    await using target = await httpTarget((_req, res) => res.end());
    expect(await probe(target.url, { method: 'HEAD', body_contains: 'ok' })).toMatchObject({
      error_message: 'the body does not contain "ok" (a HEAD response has no body: use GET)',
    });
  });

  it('follows redirects by default, but not if disabled or if one is expected', async () => {
    await using target = await httpTarget((req, res) => {
      if (req.url === '/end') res.end();
      else res.writeHead(302, { location: '/end' }).end();
    });
    expect(await probe(target.url)).toMatchObject({ success: true, status_code: 200 });
    expect(await probe(target.url, { expected_status: 302 })).toMatchObject({ success: true, status_code: 302 });
    expect(await probe(target.url, { config: { follow_redirects: false } })).toMatchObject({
      success: false,
      status_code: 302,
      error_message: 'expected status 200, got 302 (Found): it redirects, and redirects are not followed here',
    });
  });

  it('fails at the sixth redirect', async () => {
    let hops = 0;
    await using target = await httpTarget((_req, res) => res.writeHead(302, { location: `/${++hops}` }).end());
    const outcome = await probe(target.url);
    expect(outcome).toMatchObject({ status_code: 302, error_kind: 'redirect' });
    expect(outcome.unanswered).toBeUndefined();
    expect(hops).toBe(6);
  });

  it('refuses a redirect to an address that must not be reached', async () => {
    await using target = await httpTarget((_req, res) => res.writeHead(302, { location: 'http://127.0.0.1/' }).end());
    expect(await probe(target.url)).toMatchObject({ success: false, status_code: 302, error_kind: 'egress' });
  });

  it('sends neither headers nor body to another origin', async () => {
    let token: unknown = 'not asked';
    await using other = await httpTarget((req, res) => {
      token = req.headers['x-api-key'];
      res.end();
    });
    await using target = await httpTarget((_req, res) => res.writeHead(307, { location: other.url }).end());
    const headers = { 'X-Api-Key': 'k' };
    expect(await probe(target.url, { method: 'POST', config: { headers, body: 'secret' } })).toMatchObject({
      success: false,
      status_code: 307,
      error_kind: 'redirect',
    });
    expect(token).toBe('not asked');
    expect(await probe(target.url, { method: 'POST', config: { headers } })).toMatchObject({ success: true });
    expect(token).toBeUndefined();
  });

  it('has no status without a response', async () => {
    expect(await probe('http://127.0.0.1/')).toMatchObject({ status_code: 0, error_kind: 'egress' });
  });

  it.each([
    [
      'breaks off',
      (socket: Socket) => socket.end('HTTP/1.1 206 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc'),
      'connect',
    ],
    ['never ends', (socket: Socket) => socket.write('HTTP/1.1 206 OK\r\n\r\nabc'), 'timeout'],
  ])('keeps the status of a response whose body %s', async (_what, answer, error_kind) => {
    await using target = await rawTarget((socket) => socket.once('data', () => answer(socket)));
    const wanted = { expected_status: 206, body_contains: 'd' };
    expect(await probe(target.url, wanted, probeWorld({ timeout_ms: 200 }))).toMatchObject({
      success: false,
      status_code: 206,
      error_kind,
    });
  });

  it('shortens a long error message', async () => {
    await using target = await httpTarget((_req, res) =>
      res.writeHead(302, { location: `/${'x'.repeat(3000)}` }).end(),
    );
    const { error_message } = await probe(`${target.url}/${'x'.repeat(1000)}`, { body_contains: 'x' });
    expect(error_message).toHaveLength(500);
    expect(error_message.endsWith('…')).toBe(true);
  });
});

describe('the cause of a failed http check', () => {
  it.each<[string, (socket: Socket) => void, object]>([
    [
      'a target of another protocol, which has responded',
      (socket) => socket.end('220 smtp ready\r\n'),
      { error_kind: 'connect' },
    ],
    [
      'a target that resets the connection, which has responded',
      (socket) => socket.resetAndDestroy(),
      { error_kind: 'connect' },
    ],
    ['a target that does not respond, which can be unreachable', () => {}, { error_kind: 'timeout', unanswered: true }],
  ])('is reported for: %s', async (_what, onConnection, expected) => {
    await using target = await rawTarget((socket) => socket.once('data', () => onConnection(socket)));
    const outcome = await probe(target.url, {}, probeWorld({ timeout_ms: 100 }));
    expect(outcome).toMatchObject({ success: false, status_code: 0, ...expected });
    expect(outcome.unanswered).toBe('unanswered' in expected ? true : undefined);
  });

  it('can be the network of the service if a name does not resolve', async () => {
    expect(await probe('http://unknown.example.org/')).toMatchObject({ error_kind: 'dns', unanswered: true });
  });

  it('is thrown if it is an internal error', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('too many open files'), { code: 'EMFILE' }));
    await expect(probe('http://a.example.org/', {}, probeWorld({ resolve }))).rejects.toThrow('too many open files');
  });
});
