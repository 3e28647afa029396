import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Authority, makeAuthority } from '#test/support/certificates.ts';
import { probeCheck } from '#test/support/probe-check.ts';
import { probeWorld } from '#test/support/probe-world.ts';
import { httpTarget, rawTarget } from '#test/support/socket-target.ts';
import { httpsTarget } from '#test/support/tls-server.ts';

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
  it('judges status, body, JSON, headers and latency of one answer', async () => {
    await using target = await httpTarget((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'x-left': ['7', '8'] });
      res.end('{"db": {"status": "ok", "lag": 3}, "items": [1, 2]}');
    });
    const outcome = await probe(target.url, [
      status('2xx'),
      lacks('error'),
      json('$.db.status', 'equals', 'ok'),
      json('$.items.length', 'at_least', 2),
      matches('"lag":\\s*\\d\\b'),
      { source: 'header', property: 'Content-Type', operator: 'contains', value: 'json' },
      { source: 'header', property: 'X-Left', operator: 'equals', value: '7, 8' },
      { source: 'latency_ms', operator: 'less_than', value: 5_000, severity: 'warn' },
    ]);
    expect(outcome).toMatchObject(good);
    expect(outcome.warning_message).toBeUndefined();
    expect(outcome.assertions?.map(({ passed }) => passed)).toEqual(Array(8).fill(true));
  });

  it('warns of an answer that is late, and fails of one that is wrong', async () => {
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

  it('takes a status that an assertion wants in place of the expected one, but for one that only warns', async () => {
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

  it('judges the body of an answer whatever its status is, and body_contains as well', async () => {
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

  it('follows redirects unless every status that it accepts is one', async () => {
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

  it('does not wait for a body that no assertion is about', async () => {
    await using target = await rawTarget((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'));
    expect(await probe(target.url, [status('2xx')])).toMatchObject(good);
  });

  it('fails with a body that ends early, or does not come in time', async () => {
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

  it('can say nothing of a body that is compressed against its wish', async () => {
    await using target = await httpTarget((_req, res) => {
      res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"a": 1}'));
    });
    const problem = 'the server sent the body gzip-encoded though it was asked not to';
    for (const assertion of [json('$.a', 'equals', 1), lacks('error'), matches('a')]) {
      expect(await probe(target.url, [assertion])).toMatchObject({ error_kind: 'body', error_message: problem });
    }
  });

  it('judges the first MB of a longer body, and says so; of JSON none', async () => {
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

  it('shows nothing of what was sent, when the target repeats it', async () => {
    await using target = await httpTarget((req, res) => res.end(JSON.stringify({ you: req.headers.authorization })));
    const outcome = await probe(
      target.url,
      [json('$.you', 'equals', 'nobody'), { ...json('$.you', 'equals', 'me'), severity: 'warn' }],
      { config: { headers: { authorization: 'Bearer s3cr3t-t0ken' } } },
    );
    expect(outcome.success).toBe(false);
    expect(outcome.warning_message).toContain('expected json $.you to equal "me"');
    expect(JSON.stringify(outcome)).not.toContain('s3cr3t');
  });
});

describe('an http check with an assertion on days_left', () => {
  let trusted: Authority;
  beforeAll(async () => {
    trusted = await makeAuthority();
    setDefaultCACertificates([...getCACertificates('default'), trusted.cert]);
  });
  const days = (value: number, severity = 'warn') => ({ source: 'days_left', operator: 'at_least', value, severity });
  const lasting = (count: number) =>
    trusted.issue({ names: ['127.77.0.1'], to: new Date(Date.now() + (count + 0.5) * 86_400_000) });

  it.each([5, 20, 40])('knows a certificate that has %i days left', async (left) => {
    await using target = await httpsTarget(await lasting(left), (_req, res) => res.end());
    const outcome = await probe(target.url, [days(21), days(7, 'fail')]);
    expect(outcome).toMatchObject({ success: left >= 7, days_left: left });
    expect(outcome).toHaveProperty('expires_at', expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/));
    expect(outcome.warning_message !== undefined).toBe(left < 21);
    if (left < 7)
      expect(outcome).toMatchObject({
        error_kind: 'tls',
        error_message: expect.stringMatching(/^certificate expires on .*, in 5 days; at least 7 are wanted: renew it$/),
      });
  });

  it('looks at the certificate of the last hop', async () => {
    await using end = await httpsTarget(await lasting(5), (_req, res) => res.end());
    await using target = await httpsTarget(await lasting(40), (_req, res) =>
      res.writeHead(302, { location: end.url }).end(),
    );
    expect(await probe(target.url, [days(21)])).toMatchObject({ success: true, days_left: 5 });
  });

  it('shows no days where none are asked for, and says where there is no certificate', async () => {
    await using secure = await httpsTarget(await lasting(5), (_req, res) => res.end());
    expect(await probe(secure.url, [status(200)])).not.toHaveProperty('days_left');
    await using plain = await httpTarget((_req, res) => res.end());
    expect(await probe(plain.url, [days(21, 'fail')])).toMatchObject({
      error_kind: 'tls',
      error_message: 'days_left: the answer did not come over TLS, so there is no certificate',
    });
  });
});
