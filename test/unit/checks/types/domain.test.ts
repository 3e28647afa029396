import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { readSettings } from '#lib/settings.ts';
import { probeCheck } from '#test/support/probe-check.ts';
import { probeWorld } from '#test/support/probe-world.ts';
import { closedPort, httpTarget, type Target } from '#test/support/socket-target.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-23T12:00:00Z');

type Registry = Target & { asked: string[] };

/** Serves the list of registries and each registry: `/dns.json` names `/com/` for .com and so on. */
async function registries(
  answer: RequestListener,
  services: (url: string) => unknown = (url) => [
    [['com', 'co.uk'], [`${url}/com`]],
    [['uk'], [`${url}/uk/`]],
  ],
): Promise<Registry> {
  const asked: string[] = [];
  const target: Target = await httpTarget((request, response) => {
    asked.push(request.url!);
    if (request.url !== '/dns.json') return answer(request, response);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ version: '1.0', services: services(target.url) }));
  });
  return Object.assign(target, { asked });
}

const domainOf =
  (events: object[]): RequestListener =>
  (_, response) => {
    response.setHeader('content-type', 'application/rdap+json');
    response.end(JSON.stringify({ objectClassName: 'domain', ldhName: 'EXAMPLE.COM', events }));
  };
const expiring = (at: string): RequestListener =>
  domainOf([
    { eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' },
    { eventAction: 'expiration', eventDate: at },
  ]);

const worldOf = (bootstrap: string, now = NOW) => ({
  ...probeWorld({ now, timeout_ms: 1_000 }),
  settings: readSettings({ CHECK_EGRESS: 'public', EGRESS_ALLOW: '127.77.0.0/16', RDAP_BOOTSTRAP_URL: bootstrap }),
});
const probe = (at: Registry, config: object = {}, now = NOW) =>
  probeCheck(
    { check_type: 'domain', interval_seconds: 3600, config: { domain: 'example.com', ...config } },
    worldOf(`${at.url}/dns.json`, now),
  );

const wrong = (error_kind: string, error_message: string | RegExp) => ({
  success: false,
  error_kind,
  error_message: typeof error_message === 'string' ? error_message : expect.stringMatching(error_message),
});

describe('a domain check', () => {
  it('succeeds while the registration is valid, and shows the remaining days', async () => {
    await using at = await registries(expiring('2026-12-02T18:00:00Z'));
    expect(await probe(at)).toMatchObject({ success: true, error_message: '', days_left: 9, status_code: 200 });
    expect(at.asked).toEqual(['/dns.json', '/com/domain/example.com']);
  });

  it('fails if fewer days are left than required', async () => {
    await using at = await registries(expiring('2026-12-02T18:00:00Z'));
    expect(await probe(at, { min_days_remaining: 9 })).toMatchObject({ success: true });
    expect(await probe(at, { min_days_remaining: 10 })).toMatchObject({
      ...wrong('expiry', 'example.com expires on 2026-12-02, in 9 days: renew it'),
      days_left: 9,
    });
  });

  it('warns before the expiry with an assertion', async () => {
    await using at = await registries(expiring('2026-12-02T18:00:00Z'));
    const assertions = [{ source: 'days_left', operator: 'at_least', value: 30, severity: 'warn' }];
    expect(await probe(at, { assertions })).toMatchObject({
      success: true,
      warning_message: 'example.com expires on 2026-12-02, in 9 days; at least 30 are required: renew it',
      expires_at: '2026-12-02T18:00:00.000Z',
    });
    await expect(probe(at, { assertions, min_days_remaining: 30 })).rejects.toThrow(
      'config.assertions.0.value: a warning at 30 days never appears, because the check fails below 30',
    );
  });

  it('fails after the expiry even without a minimum', async () => {
    await using at = await registries(expiring('2026-11-22T18:00:00Z'));
    expect(await probe(at)).toMatchObject({
      ...wrong('expiry', 'example.com expired on 2026-11-22: renew it'),
      days_left: -1,
    });
  });

  it('queries the registry of the longest matching zone with the normalized domain', async () => {
    await using at = await registries(expiring('2027-12-02T18:00:00Z'));
    for (const domain of ['shop.co.uk', 'shop.uk', 'BÜCHER.com.'])
      expect(await probe(at, { domain })).toMatchObject({ success: true });
    expect(at.asked.slice(1)).toEqual([
      '/com/domain/shop.co.uk',
      '/uk/domain/shop.uk',
      '/com/domain/xn--bcher-kva.com',
    ]);
  });

  it('reads the list of registries once a day', async () => {
    await using at = await registries(expiring('2027-12-02T18:00:00Z'));
    const lists = () => at.asked.filter((path) => path === '/dns.json').length;
    await Promise.all([probe(at), probe(at), probe(at)]);
    await probe(at, {}, NOW + DAY - 1);
    expect(lists()).toBe(1);
    expect(await probe(at, {}, NOW + DAY)).toMatchObject({ success: true });
    expect(lists()).toBe(2);
  });

  it('uses an outdated list while it cannot be read again', async () => {
    let isThere = true;
    await using at = await registries(expiring('2027-12-02T18:00:00Z'), (url) =>
      isThere ? [[['com'], [`${url}/com/`]]] : 'gone',
    );
    expect(await probe(at)).toMatchObject({ success: true });
    isThere = false;
    expect(await probe(at, {}, NOW + 3 * DAY)).toMatchObject({ success: true });
    expect(await probe(at, {}, NOW + 3 * DAY)).toMatchObject({ success: true });
  });

  it.each<[string, RequestListener, string, string | RegExp]>([
    [
      'does not know the domain',
      (_, response) => response.writeHead(404).end(),
      'expiry',
      'example.com is not registered: the registry of .com has no such domain',
    ],
    [
      'limits requests',
      (_, response) => response.writeHead(429).end(),
      'status',
      'the registry of .com answered 429 (Too Many Requests)',
    ],
    [
      'is unavailable',
      (_, response) => response.writeHead(503).end(),
      'status',
      'the registry of .com answered 503 (Service Unavailable)',
    ],
    [
      'sends an HTML page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      'protocol',
      'the registry of .com sent a response that is not RDAP (text/html)',
    ],
    [
      'sends an RDAP error with status 200',
      (_, response) => response.end('{"errorCode": 404}'),
      'protocol',
      /not RDAP \(without a content-type\)$/,
    ],
    [
      'sends no events',
      (_, response) => response.end('{"objectClassName": "domain"}'),
      'expiry',
      'the registry of .com publishes no expiry date by RDAP',
    ],
    [
      'sends only other events',
      domainOf([{ eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' }]),
      'expiry',
      'the registry of .com publishes no expiry date by RDAP',
    ],
    [
      'sends an invalid date',
      domainOf([{ eventAction: 'expiration', eventDate: 'soon' }]),
      'expiry',
      'the registry of .com publishes no expiry date by RDAP',
    ],
    [
      'sends a gigabyte',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/rdap+json' });
        const more = () => {
          while (response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      },
      'protocol',
      /not RDAP/,
    ],
    [
      'redirects forever',
      (request, response) => response.writeHead(302, { location: request.url! }).end(),
      'redirect',
      /^redirect loop/,
    ],
    ['never responds', () => {}, 'timeout', /^no answer within/],
  ])('reports a registry that %s', async (_what, answer, kind, message) => {
    await using at = await registries(answer);
    expect(await probe(at)).toMatchObject(wrong(kind, message));
  });

  it('reports a registry without a server', async () => {
    await using at = await registries(() => {});
    expect(await probe(at, { domain: 'example.de' })).toMatchObject(
      wrong('expiry', 'the registry of .de publishes no expiry date by RDAP'),
    );
  });

  it('reports a list of registries that cannot be read', async () => {
    await using at = await httpTarget((_, response) => response.writeHead(500).end());
    const probeWithList = (url: string) =>
      probeCheck({ check_type: 'domain', interval_seconds: 3600, config: { domain: 'example.com' } }, worldOf(url));
    expect(await probeWithList(`${at.url}/none.json`)).toMatchObject(
      wrong('connect', /^the list of registries at .* could not be read: got status 500$/),
    );
    expect(await probeWithList(`http://127.77.0.1:${await closedPort()}/dns.json`)).toMatchObject(
      wrong('connect', /^connection refused/),
    );
  });

  it('never requests an address that checks must not reach, in the list or by redirect', async () => {
    await using inside = await httpTarget(expiring('2027-12-02T18:00:00Z'), '127.0.0.1');
    await using named = await registries(
      () => {},
      () => [[['com'], [`${inside.url}/`]]],
    );
    expect(await probe(named)).toMatchObject(wrong('egress', /loopback/));
    await using led = await registries((_, response) =>
      response.writeHead(302, { location: `${inside.url}/domain/example.com` }).end(),
    );
    expect(await probe(led)).toMatchObject(wrong('egress', /^redirected to /));
    await using list = await httpTarget((_, response) =>
      response.writeHead(302, { location: `${inside.url}/dns.json` }).end(),
    );
    const at = Object.assign(list, { asked: [] });
    expect(await probe(at)).toMatchObject(wrong('egress', /^redirected to /));
    expect(inside.connections()).toBe(0);
  });
});
