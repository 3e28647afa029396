import * as z from 'zod';
import type { Unreadable } from '#lib/checks/assertions/body.ts';
import { type Expiry, ExpiryMembers, expiryMembers, expiryOf, tooSoon } from '#lib/checks/assertions/expiry.ts';
import { judge } from '#lib/checks/assertions/judge.ts';
import { defineCheck } from '#lib/checks/check-type.ts';
import { Host, Port } from '#lib/checks/host-setting.ts';
import { failed, probing, succeeded, withVerdict } from '#lib/checks/outcome.ts';

/** A handshake whose certificate must be valid, for the name, from a trusted authority, and for long enough. */
export const tls = defineCheck({
  type: 'tls',
  mode: 'pull',
  title: 'TLS certificate',
  about:
    'Makes a TLS handshake. It succeeds when the certificate is valid, for the name, from a trusted authority, and for long enough, and the assertions hold. last_result shows days_left and expires_at.',
  config: z.strictObject({
    host: Host,
    port: Port.default(443),
    servername: Host.describe('The name that the certificate must have; default: host.').optional(),
    min_days_remaining: z
      .int()
      .min(0)
      .max(3650)
      .describe('It fails with fewer whole days left; 0: only when expired or not yet valid.')
      .default(0),
  }),
  sources: ['latency_ms', 'days_left', 'tls_version', 'issuer', 'fingerprint_sha256'],
  result: ExpiryMembers,
  contradictions: ({ config: { assertions = [], min_days_remaining: least } }) =>
    assertions.flatMap(({ source, operator, value, severity }, i) => {
      const wanted = Number(value) + (operator === 'greater_than' ? 1 : 0);
      const isLeast = operator === 'at_least' || operator === 'greater_than';
      const isIdle = source === 'days_left' && severity === 'warn' && isLeast && wanted <= least;
      const message = `the warning at ${wanted} days can never come: the check fails below ${least}`;
      return isIdle ? [{ path: `config.assertions.${i}.value`, message }] : [];
    }),
  hosts: ({ config }) => [{ path: 'config.host', host: config.host }],
  targetLabel: ({ config }) => `tls ${config.host}:${config.port}`,
  probe: ({ config }, { net, settings, timeout_ms, now }) =>
    probing(async () => {
      const { host, port, servername = host, min_days_remaining, assertions } = config;
      const reply = await net.tls({ host, port, servername, timeout_ms, egress: settings.CHECK_EGRESS });
      const { latency_ms, version, issuer, fingerprint_sha256 } = reply;
      const expiry = expiryOf('certificate', reply.valid_to, now, 'tls');
      const problem = reply.problem || shortly(expiry, min_days_remaining);
      const found = problem ? failed('tls', problem, latency_ms) : succeeded(latency_ms);
      const facts = { latency_ms, expiry, tls_version: version, issuer, fingerprint_sha256 };
      return { ...withVerdict(found, await judge(assertions, facts)), ...expiryMembers(expiry) };
    }),
  examples: {
    valid: [
      { config: { host: 'example.com', min_days_remaining: 14 } },
      { config: { host: 'example.com' } },
      { config: { host: '192.168.1.10', port: 8443, servername: 'intern.example.com', min_days_remaining: 14 } },
      {
        config: {
          host: 'example.com',
          assertions: [
            { source: 'tls_version', operator: 'one_of', value: ['TLSv1.2', 'TLSv1.3'] },
            { source: 'days_left', operator: 'at_least', value: 21, severity: 'warn' },
          ],
        },
      },
    ],
    invalid: [
      { value: { config: {} }, path: 'config.host' },
      { value: { config: { host: 'example.com/x' } }, path: 'config.host' },
      { value: { config: { host: 'example.com', port: -1 } }, path: 'config.port' },
      { value: { config: { host: 'example.com', servername: 'a b' } }, path: 'config.servername' },
      { value: { config: { host: 'example.com', min_days_remaining: -1 } }, path: 'config.min_days_remaining' },
      { value: { config: { host: 'example.com', min_days_remaining: 1.5 } }, path: 'config.min_days_remaining' },
      { value: { config: { host: 'example.com', days: 14 } }, path: 'config.days' },
    ],
  },
});

const shortly = (expiry: Expiry | Unreadable, least: number): string =>
  !('problem' in expiry) && expiry.days_left < least ? tooSoon(expiry, least) : '';
