import * as z from 'zod';
import type { Unreadable } from '#lib/checks/assertions/body.ts';
import {
  type Expiry,
  ExpiryMembers,
  expiryMembers,
  expiryOf,
  idleWarnings,
  tooSoon,
} from '#lib/checks/assertions/expiry.ts';
import { judge } from '#lib/checks/assertions/judge.ts';
import { defineCheck } from '#lib/checks/check-type.ts';
import { converse } from '#lib/checks/conversation/converse.ts';
import { STARTTLS } from '#lib/checks/conversation/starttls.ts';
import { Transcript } from '#lib/checks/conversation/steps.ts';
import { judgedTalk } from '#lib/checks/conversation/talk-over.ts';
import { Host, Port } from '#lib/checks/host-setting.ts';
import { failed, probing, succeeded, withVerdict } from '#lib/checks/outcome.ts';

/** A handshake whose certificate must be valid, for the name, from a trusted authority, and for long enough. */
export const tls = defineCheck({
  type: 'tls',
  mode: 'pull',
  title: 'TLS certificate',
  about:
    'Makes a TLS handshake, with starttls in the midst of another protocol. It succeeds when the certificate is valid, for the name, from a trusted authority, and for long enough, and the assertions hold. last_result shows days_left and expires_at.',
  config: z.strictObject({
    host: Host,
    port: Port.default(443),
    servername: Host.describe('The name that the certificate must have; default: host.').optional(),
    starttls: z
      .enum(Object.keys(STARTTLS) as [keyof typeof STARTTLS])
      .describe(
        'The protocol that goes over to TLS on a plain port, such as 587 of smtp, 143 of imap, 5432 of postgres.',
      )
      .optional(),
    min_days_remaining: z
      .int()
      .min(0)
      .max(3650)
      .describe('It fails with fewer whole days left; 0: only when expired or not yet valid.')
      .default(0),
  }),
  sources: ['latency_ms', 'days_left', 'tls_version', 'issuer', 'fingerprint_sha256'],
  result: ExpiryMembers,
  shown: Transcript,
  contradictions: ({ config: { port, starttls, assertions = [], min_days_remaining: least } }) => {
    const message = `must be that of a server of ${starttls}, which speaks plain text at first`;
    const wrongPort = starttls !== undefined && port === 443 ? [{ path: 'config.port', message }] : [];
    return [...wrongPort, ...idleWarnings(assertions, least)];
  },
  hosts: ({ config: { host, port } }) => [{ path: 'config.host', host, port }],
  targetLabel: ({ config }) => `tls ${config.host}:${config.port}`,
  probe: ({ config }, { net, settings, timeout_ms, now, shows = false }) =>
    probing(async () => {
      const { host, port, servername, starttls, min_days_remaining, assertions } = config;
      const tls = { servername, verify: false };
      const request = { host, port, timeout_ms, egress: settings.CHECK_EGRESS, ...(!starttls && { tls }) };
      const manner = { tls, whose: starttls };
      const talked = await converse(net, request, starttls ? STARTTLS[starttls] : [], manner);
      const shown = shows && starttls ? { transcript: talked.transcript } : {};
      const { latency_ms, handshake } = talked;
      if (!handshake) return { ...(await judgedTalk(talked, [], shows)), ...shown };
      const { version, issuer, fingerprint_sha256 } = handshake;
      const expiry = expiryOf('certificate', handshake.valid_to, now, 'tls');
      const problem = handshake.problem || shortly(expiry, min_days_remaining);
      const found = problem ? failed('tls', problem, latency_ms) : succeeded(latency_ms);
      const facts = { latency_ms, expiry, tls_version: version, issuer, fingerprint_sha256 };
      return { ...withVerdict(found, await judge(assertions, facts, shows)), ...expiryMembers(expiry), ...shown };
    }),
  examples: {
    valid: [
      { config: { host: 'example.com', min_days_remaining: 14 } },
      { config: { host: 'example.com' } },
      { config: { host: 'mail.example.com', port: 587, starttls: 'smtp' } },
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
      { value: { config: { host: 'example.com', port: 5222, starttls: 'xmpp' } }, path: 'config.starttls' },
    ],
  },
});

const shortly = (expiry: Expiry | Unreadable, least: number): string =>
  !('problem' in expiry) && expiry.days_left < least ? tooSoon(expiry, least) : '';
