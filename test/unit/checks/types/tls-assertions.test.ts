import { X509Certificate } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Authority, makeAuthority, type Wanted } from '#test/support/certificates.ts';
import { probeCheck } from '#test/support/probe-check.ts';
import { probeWorld } from '#test/support/probe-world.ts';
import { httpTarget } from '#test/support/socket-target.ts';
import { httpsTarget, tlsTarget } from '#test/support/tls-server.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const day = (date: Date) => date.toISOString().slice(0, 10);

let trusted: Authority;
beforeAll(async () => {
  trusted = await makeAuthority();
  setDefaultCACertificates([...getCACertificates('default'), trusted.cert]);
});

const issue = (more: Partial<Wanted> = {}) => trusted.issue({ names: ['127.77.0.1'], ...more });
const probe = (port: number, config: object = {}) =>
  probeCheck({ check_type: 'tls', config: { host: '127.77.0.1', port, ...config } }, probeWorld());

describe('a tls check with assertions', () => {
  it.each([5, 20, 40])('evaluates a warning and a failure for a certificate with %i days left', async (left) => {
    await using target = await tlsTarget(await issue({ to: inDays(left + 0.5) }));
    const days = (value: number, severity: string) => ({ source: 'days_left', operator: 'at_least', value, severity });
    const outcome = await probe(target.port, { assertions: [days(21, 'warn'), days(7, 'fail')] });
    const messageFor = (value: number) =>
      `certificate expires on ${day(inDays(left + 0.5))}, in ${left} days; at least ${value} are required: renew it`;
    expect(outcome).toMatchObject({
      success: left >= 7,
      days_left: left,
      error_message: left >= 7 ? '' : messageFor(7),
    });
    expect(outcome).toHaveProperty('expires_at', expect.stringContaining(day(inDays(left + 0.5))));
    expect(outcome.warning_message).toBe(left < 21 ? messageFor(21) : undefined);
  });

  it('evaluates version, issuer and fingerprint of a server with only TLS 1.2', async () => {
    const pair = await issue();
    await using target = await tlsTarget({ ...pair, maxVersion: 'TLSv1.2' });
    const fingerprint = new X509Certificate(pair.cert).fingerprint256;
    const assertions = [
      { source: 'tls_version', operator: 'equals', value: 'TLSv1.2' },
      { source: 'issuer', operator: 'equals', value: 'Fleetwatch Test Authority' },
      { source: 'fingerprint_sha256', operator: 'equals', value: fingerprint },
      { source: 'latency_ms', operator: 'less_than', value: 5_000 },
    ];
    expect(await probe(target.port, { assertions })).toMatchObject({ success: true });
    const newest = [{ source: 'tls_version', operator: 'equals', value: 'TLSv1.3' }];
    expect(await probe(target.port, { assertions: newest })).toMatchObject({
      success: false,
      error_kind: 'tls',
      error_message: 'expected tls_version to equal "TLSv1.3", got "TLSv1.2"',
    });
  });
});

describe('an http check with an assertion on days_left', () => {
  const get = (target_url: string, assertions: object[]) =>
    probeCheck({ check_type: 'http', target_url, config: { assertions } }, probeWorld());
  const days = (value: number, severity = 'warn') => ({ source: 'days_left', operator: 'at_least', value, severity });
  const lasting = (count: number) => issue({ to: inDays(count + 0.5) });

  it.each([5, 20, 40])('evaluates a certificate with %i days left', async (left) => {
    await using target = await httpsTarget(await lasting(left), (_req, res) => res.end());
    const outcome = await get(target.url, [days(21), days(7, 'fail')]);
    expect(outcome).toMatchObject({ success: left >= 7, days_left: left });
    expect(outcome).toHaveProperty('expires_at', expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/));
    expect(outcome.warning_message !== undefined).toBe(left < 21);
    if (left < 7)
      expect(outcome).toMatchObject({
        error_kind: 'tls',
        error_message: expect.stringMatching(
          /^certificate expires on .*, in 5 days; at least 7 are required: renew it$/,
        ),
      });
  });

  it('evaluates the certificate of the last redirect target', async () => {
    await using end = await httpsTarget(await lasting(5), (_req, res) => res.end());
    await using target = await httpsTarget(await lasting(40), (_req, res) =>
      res.writeHead(302, { location: end.url }).end(),
    );
    expect(await get(target.url, [days(21)])).toMatchObject({ success: true, days_left: 5 });
  });

  it('has days_left only if an assertion uses it, and reports a missing certificate', async () => {
    await using secure = await httpsTarget(await lasting(5), (_req, res) => res.end());
    expect(await get(secure.url, [{ source: 'status_code', operator: 'equals', value: 200 }])).not.toHaveProperty(
      'days_left',
    );
    await using plain = await httpTarget((_req, res) => res.end());
    expect(await get(plain.url, [days(21, 'fail')])).toMatchObject({
      error_kind: 'tls',
      error_message: 'days_left: the response did not use TLS, so there is no certificate',
    });
  });
});
