import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '#lib/settings.ts';
import { type Authority, makeAuthority, RSA, selfSigned, type Wanted } from '#test/support/certificates.ts';
import { probeCheck } from '#test/support/probe-check.ts';
import { probeWorld } from '#test/support/probe-world.ts';
import { rawTarget } from '#test/support/socket-target.ts';
import { httpsTarget, tlsTarget } from '#test/support/tls-server.ts';

const DAY = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY);
const day = (date: Date) => date.toISOString().slice(0, 10);

let trusted: Authority;
beforeAll(async () => {
  trusted = await makeAuthority();
  setDefaultCACertificates([...getCACertificates('default'), trusted.cert]);
});

const world = probeWorld({ resolve: async () => ['127.77.0.1'], timeout_ms: 1_000 });
const issue = (more: Partial<Wanted> = {}) =>
  trusted.issue({ names: ['shop.example.org', '*.wild.example.org', '127.77.0.1'], ...more });
const probe = (port: number, config: object = {}) =>
  probeCheck({ check_type: 'tls', config: { host: 'shop.example.org', port, ...config } }, world);

describe('a tls check', () => {
  it('succeeds with a valid certificate and shows its remaining days', async () => {
    await using target = await tlsTarget(await issue({ to: inDays(30.5) }));
    expect(await probe(target.port)).toMatchObject({
      success: true,
      days_left: 30,
      error_message: '',
      error_kind: null,
    });
  });

  it.each([
    ['127.77.0.1', undefined],
    ['shop.example.org', 'a.wild.example.org'],
    ['127.77.0.1', 'shop.example.org'],
  ])('succeeds for host %s and servername %s', async (host, servername) => {
    await using target = await tlsTarget(await issue());
    expect(await probe(target.port, { host, ...(servername && { servername }) })).toMatchObject({ success: true });
  });

  it.each<[string, string, string | undefined]>([
    ['an address in another spelling', '127.5046273', undefined],
    ['an IPv6 address in brackets', '[::1]', undefined],
    ['a name with non-ASCII letters', 'Bücher.example.org', 'xn--bcher-kva.example.org'],
    ['a name with a trailing dot', 'shop.example.org.', 'shop.example.org'],
    ['a name in capitals', 'SHOP.example.org', 'shop.example.org'],
  ])('normalizes %s: %s', async (_what, host, sni) => {
    const asked: string[] = [];
    const names = ['shop.example.org', 'xn--bcher-kva.example.org', '127.77.0.1', '::1'];
    const options = {
      ...(await issue({ names })),
      SNICallback: (name: string, done: (error: null) => void) => {
        asked.push(name);
        done(null);
      },
    };
    await using target = await tlsTarget(options, host === '[::1]' ? '::1' : '127.77.0.1');
    const anywhere = { ...world, settings: readSettings({ CHECK_EGRESS: 'any' }) };
    const probeAnywhere = (config: object) =>
      probeCheck({ check_type: 'tls', config: { port: target.port, ...config } }, anywhere);
    const good = { success: true, error_message: '' };
    expect(await probeAnywhere({ host })).toMatchObject(good);
    expect(await probeAnywhere({ host: target.host, servername: host })).toMatchObject(good);
    expect(asked).toEqual(sni ? [sni, sni] : []);
  });

  it('sends the name to the server, so that it can choose a certificate', async () => {
    const [right, wrong] = [await issue(), await issue({ names: ['other.example.org'] })];
    const { createSecureContext } = await import('node:tls');
    await using target = await tlsTarget({
      ...wrong,
      SNICallback: (name, done) => done(null, createSecureContext(name === 'shop.example.org' ? right : wrong)),
    });
    expect(await probe(target.port)).toMatchObject({ success: true });
  });

  it.each<[string, () => Partial<Wanted>, () => string, number]>([
    [
      'expired',
      () => ({ from: inDays(-90), to: inDays(-1.5) }),
      () => `certificate expired on ${day(inDays(-1.5))}: renew it`,
      -2,
    ],
    [
      'not yet valid',
      () => ({ from: inDays(2), to: inDays(90.5) }),
      () => `certificate is not valid before ${day(inDays(2))}`,
      90,
    ],
    [
      'for another name',
      () => ({ names: ['a.example', 'b.example'], to: inDays(5.5) }),
      () => 'certificate is for a.example, b.example, not shop.example.org',
      5,
    ],
    [
      'for more than three other names',
      () => ({ names: ['a.example', 'b.example', 'c.example', 'd.example'], to: inDays(5.5) }),
      () => 'certificate is for a.example, b.example, c.example and 1 more, not shop.example.org',
      5,
    ],
  ])('fails with a certificate that is %s', async (_what, wanted, error_message, days_left) => {
    await using target = await tlsTarget(await issue(wanted()));
    const outcome = await probe(target.port);
    expect(outcome).toMatchObject({ success: false, error_kind: 'tls', error_message: error_message(), days_left });
    expect(outcome.unanswered).toBeUndefined();
  });

  it('fails with a certificate that expires too soon', async () => {
    await using target = await tlsTarget(await issue({ to: inDays(5.5) }));
    expect(await probe(target.port, { min_days_remaining: 5 })).toMatchObject({ success: true, days_left: 5 });
    expect(await probe(target.port, { min_days_remaining: 14 })).toMatchObject({
      success: false,
      error_kind: 'tls',
      days_left: 5,
      error_message: `certificate expires on ${day(inDays(5.5))}, in 5 days; at least 14 are required: renew it`,
    });
  });

  it('fails with a self-signed certificate, or one of an unknown authority', async () => {
    await using target = await tlsTarget(await selfSigned(['shop.example.org']));
    expect(await probe(target.port)).toMatchObject({
      error_kind: 'tls',
      error_message: 'certificate is self-signed: no authority vouches for it',
    });
    const stranger = await makeAuthority('Unknown Ltd');
    await using other = await tlsTarget(await stranger.issue({ names: ['shop.example.org'] }));
    expect((await probe(other.port)).error_message).toBe(
      'certificate comes from Unknown Ltd: not a trusted authority, or the server leaves out its intermediate certificates',
    );
  });

  it('fails with a server without TLS', async () => {
    await using target = await rawTarget((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await probe(target.port)).toMatchObject({
      success: false,
      error_kind: 'tls',
      error_message: `shop.example.org:${target.port} (127.77.0.1) does not speak TLS (it may be plain text: check scheme and port)`,
    });
  });

  it('fails with a server that closes the connection', async () => {
    await using target = await rawTarget((socket) => socket.once('data', () => socket.destroy()));
    expect(await probe(target.port)).toMatchObject({
      error_kind: 'tls',
      error_message: `shop.example.org:${target.port} (127.77.0.1) closed the connection during the TLS handshake`,
    });
  });

  it('fails with a server without a common TLS version', async () => {
    await using target = await tlsTarget({
      ...(await issue()),
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    const outcome = await probe(target.port);
    expect(outcome).toMatchObject({ success: false, error_kind: 'tls' });
    expect(outcome.error_message).toMatch(/older than 1\.2|TLS handshake with .* failed/);
  });

  it('refuses a key exchange with costs chosen by the server (DHE), but accepts ECDHE with the same certificate', async () => {
    const pair = await selfSigned(['shop.example.org'], RSA);
    const version = { ...pair, maxVersion: 'TLSv1.2', dhparam: 'auto' } as const;
    await using dhe = await tlsTarget({ ...version, ciphers: 'DHE-RSA-AES128-GCM-SHA256' });
    expect(await probe(dhe.port)).toMatchObject({
      success: false,
      error_kind: 'tls',
      error_message: `shop.example.org:${dhe.port} (127.77.0.1) refused the TLS handshake: it may offer only DHE ciphers or require a client certificate; ECDHE or TLS 1.3 is needed`,
    });
    await using ecdhe = await tlsTarget({ ...version, ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' });
    expect(await probe(ecdhe.port)).toMatchObject({
      error_message: 'certificate is self-signed: no authority vouches for it',
    });
  });

  it('fails at its deadline with a server that does not respond', async () => {
    await using target = await rawTarget(() => {});
    const outcome = await probeCheck(
      { check_type: 'tls', config: { host: '127.77.0.1', port: target.port } },
      { ...world, timeout_ms: 100 },
    );
    expect(outcome).toMatchObject({
      error_kind: 'timeout',
      unanswered: true,
      error_message: `no answer within 100 ms (connected to 127.77.0.1:${target.port}, waiting for the TLS handshake)`,
    });
    expect(outcome).not.toHaveProperty('days_left');
  });

  it('connects only where checks are allowed', async () => {
    expect(await probe(443, { host: '127.0.0.1' })).toMatchObject({ error_kind: 'egress' });
  });
});

describe('an http check over TLS', () => {
  const get = (target_url: string, config: object = {}) =>
    probeCheck({ check_type: 'http', target_url, config }, world);

  it('succeeds with a valid certificate', async () => {
    await using target = await httpsTarget(await issue(), (_req, res) => res.end('ok'));
    expect(await get(`https://shop.example.org:${target.port}/`)).toMatchObject({ success: true, status_code: 200 });
    expect(await get(target.url)).toMatchObject({ success: true, status_code: 200 });
  });

  it('fails with an invalid one without sending anything, unless verification is disabled', async () => {
    let requests = 0;
    await using target = await httpsTarget(await issue({ from: inDays(-9), to: inDays(-1) }), (_req, res) => {
      requests++;
      res.end('ok');
    });
    const url = `https://shop.example.org:${target.port}/`;
    expect(await get(url, { headers: { authorization: 'Bearer x' } })).toMatchObject({
      success: false,
      status_code: 0,
      error_kind: 'tls',
      error_message: `certificate expired on ${day(inDays(-1))}: renew it`,
    });
    expect(requests).toBe(0);
    expect(await get(url, { verify_tls: false })).toMatchObject({ success: true, status_code: 200 });
  });

  it('verifies the certificate after a redirect too', async () => {
    await using bad = await httpsTarget(await issue({ names: ['other.example.org'] }), (_req, res) => res.end());
    await using target = await httpsTarget(await issue(), (_req, res) =>
      res.writeHead(302, { location: `https://shop.example.org:${bad.port}/` }).end(),
    );
    expect(await get(`https://shop.example.org:${target.port}/`)).toMatchObject({
      error_kind: 'tls',
      error_message: 'certificate is for other.example.org, not shop.example.org',
    });
  });
});
