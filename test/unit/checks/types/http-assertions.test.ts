import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { probeCheck } from '#test/support/probe-check.ts';
import { probeWorld } from '#test/support/probe-world.ts';
import { httpTarget, rawTarget } from '#test/support/socket-target.ts';

const MB = 1024 * 1024;
const probe = (
  target_url: string,
  assertions: object[],
  more: { config?: object; body_contains?: string } = {},
  world = probeWorld(),
) => probeCheck({ check_type: 'http', target_url, ...more, config: { ...more.config, assertions } }, world);

const json = (property: string, operator: string, value?: unknown) => ({
  source: 'json',
  property,
  operator,
  ...(value !== undefined && { value }),
});
const contains = (value: string) => ({ source: 'body', operator: 'contains', value });
const lacks = (value: string) => ({ source: 'body', operator: 'not_contains', value });
const matches = (value: string) => ({ source: 'body', operator: 'matches', value });
const status = (...value: unknown[]) => ({ source: 'status_code', operator: 'one_of', value });
const good = { success: true, error_kind: null, error_message: '' };

describe('an http check with assertions', () => {
  it('evaluates status, body, JSON, headers and latency of one response', async () => {
    await using target = await httpTarget((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'x-left': ['7', '8'] });
      res.end('{"db": {"status": "ok", "lag": 3}, "items": [1, 2]}');
    });
    const outcome = await probe(
      target.url,
      [
        status('2xx'),
        lacks('error'),
        json('$.db.status', 'equals', 'ok'),
        json('$.items.length', 'at_least', 2),
        matches('"lag":\\s*\\d\\b'),
        { source: 'header', property: 'Content-Type', operator: 'contains', value: 'json' },
        { source: 'header', property: 'X-Left', operator: 'equals', value: '7, 8' },
        { source: 'latency_ms', operator: 'less_than', value: 5_000, severity: 'warn' },
      ],
      {},
      { ...probeWorld(), withDetails: true },
    );
    expect(outcome).toMatchObject(good);
    expect(outcome.warning_message).toBeUndefined();
    expect(outcome.assertions?.map(({ passed }) => passed)).toEqual(Array(8).fill(true));
  });

  it('warns about a slow response and fails for a wrong one', async () => {
    await using target = await httpTarget((_req, res) => void setTimeout(() => res.end('{"ok": false}'), 30));
    const slow = { source: 'latency_ms', operator: 'less_than', value: 10, severity: 'warn' };
    expect(await probe(target.url, [slow])).toMatchObject({
      ...good,
      warning_message: 'expected latency_ms to be less than 10, got {latency_ms}',
    });
    expect(await probe(target.url, [slow, json('$.ok', 'equals', true)])).toMatchObject({
      success: false,
      error_kind: 'body',
      error_message: 'expected json $.ok to equal true, got false',
      warning_message: 'expected latency_ms to be less than 10, got {latency_ms}',
    });
  });

  it('replaces the expected status by an assertion, unless it only warns', async () => {
    await using target = await httpTarget((_req, res) => res.writeHead(204).end());
    expect(await probe(target.url, [status('2xx')])).toMatchObject({ ...good, status_code: 204 });
    expect(await probe(target.url, [{ ...status('2xx'), severity: 'warn' }])).toMatchObject({
      error_kind: 'status',
      error_message: 'expected status 200, got 204 (No Content)',
    });
    expect(await probe(target.url, [status('3xx', 200)])).toMatchObject({
      error_kind: 'status',
      error_message: 'expected status_code to be one of 3xx, 200, got 204 (No Content)',
    });
  });

  it('evaluates the body for any status, in addition to body_contains', async () => {
    await using target = await httpTarget((_req, res) => res.writeHead(503).end('{"why": "deploying"}'));
    const why = json('$.why', 'equals', 'deploying');
    expect(await probe(target.url, [status('5xx'), why], { body_contains: 'deploy' })).toMatchObject(good);
    expect(await probe(target.url, [status('5xx'), why], { body_contains: 'done' })).toMatchObject({
      error_kind: 'body',
      error_message: 'the body does not contain "done" (searched 20 bytes)',
    });
    expect(await probe(target.url, [status('5xx'), contains('deploy')], { body_contains: 'done' })).toMatchObject({
      error_message: 'the body does not contain "done" (searched 20 bytes)',
    });
    expect(await probe(target.url, [json('$.why', 'equals', 'x'), contains('y')])).toMatchObject({
      error_kind: 'status',
      error_message: 'expected status 200, got 503 (Service Unavailable) (and 1 more)',
    });
  });

  it('follows redirects unless all accepted statuses redirect', async () => {
    await using target = await httpTarget((req, res) => {
      if (req.url === '/end') res.end();
      else res.writeHead(302, { location: '/end' }).end();
    });
    const at = async (assertion: object) => (await probe(target.url, [assertion])).status_code;
    expect(await at(status('2xx'))).toBe(200);
    expect(await at(status('2xx', '3xx'))).toBe(200);
    expect(await at(status('3xx'))).toBe(302);
    expect(await at(status(301, '302-303'))).toBe(302);
    expect(await at({ source: 'status_code', operator: 'equals', value: 302 })).toBe(302);
    expect(await at({ source: 'status_code', operator: 'not_equals', value: 500 })).toBe(200);
  });

  it('does not wait for a body without assertions on it', async () => {
    await using target = await rawTarget((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'));
    expect(await probe(target.url, [status('2xx')])).toMatchObject(good);
  });

  it('fails if the body ends early or does not arrive in time', async () => {
    await using half = await rawTarget((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"a":'));
    expect(await probe(half.url, [json('$.a', 'exists')])).toMatchObject({ success: false, error_kind: 'connect' });
    await using late = await rawTarget((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'));
    expect(await probe(late.url, [lacks('a')], {}, probeWorld({ timeout_ms: 200 }))).toMatchObject({
      success: false,
      error_kind: 'timeout',
    });
  });

  it('reads a body in chunks', async () => {
    await using target = await httpTarget((_req, res) => {
      for (const part of ['{"a"', ': [1, ', '2]}']) res.write(part);
      res.end();
    });
    expect(await probe(target.url, [json('$.a[-1]', 'equals', 2), contains('[1, 2]')])).toMatchObject(good);
  });

  it('reports a body that is compressed despite the request', async () => {
    await using target = await httpTarget((_req, res) => {
      res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"a": 1}'));
    });
    const problem = 'the server sent the body gzip-encoded although the request excluded it';
    for (const assertion of [json('$.a', 'equals', 1), lacks('error'), matches('a')]) {
      expect(await probe(target.url, [assertion])).toMatchObject({ error_kind: 'body', error_message: problem });
    }
  });

  it('evaluates only the first MB of a longer body, and no JSON', async () => {
    const whole = `{"a": "${'x'.repeat(MB - 9)}"}`;
    await using target = await httpTarget((req, res) => {
      res.end(req.url === '/whole' ? whole : `${'x'.repeat(MB)}needle`);
    });
    expect(await probe(`${target.url}/whole`, [json('$.a.length', 'equals', MB - 9)])).toMatchObject(good);
    expect(await probe(target.url, [contains('needle')])).toMatchObject({
      error_message: 'expected body to contain "needle" (searched its first 1 MB)',
    });
    expect(await probe(target.url, [lacks('needle'), matches('^x+$')])).toMatchObject({ success: true });
    expect(await probe(target.url, [lacks('needle'), matches('needle')])).toMatchObject({
      error_message: 'expected body to match "needle" (searched its first 32 KB)',
    });
    expect(await probe(target.url, [json('$', 'exists')])).toMatchObject({
      error_message: 'the body has more than 1 MB',
    });
    await using one = await httpTarget((_req, res) => res.end(`${whole} `));
    expect(await probe(one.url, [json('$.a', 'exists')])).toMatchObject({
      error_message: 'the body has more than 1 MB',
    });
  });

  it('redacts sent secrets that the target repeats', async () => {
    await using target = await httpTarget((req, res) => res.end(JSON.stringify({ you: req.headers.authorization })));
    const outcome = await probe(
      target.url,
      [json('$.you', 'equals', 'none'), { ...json('$.you', 'equals', 'me'), severity: 'warn' }],
      { config: { headers: { authorization: 'Bearer s3cr3t-t0ken' } } },
    );
    expect(outcome.success).toBe(false);
    expect(outcome.warning_message).toContain('expected json $.you to equal "me"');
    expect(JSON.stringify(outcome)).not.toContain('s3cr3t');
  });
});
