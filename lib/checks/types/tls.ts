import * as z from 'zod';
import { defineCheck } from '#lib/checks/check-type.ts';
import { converse } from '#lib/checks/conversation/converse.ts';
import { STARTTLS } from '#lib/checks/conversation/starttls.ts';
import { Transcript } from '#lib/checks/conversation/steps.ts';
import { outcomeOfTalk } from '#lib/checks/conversation/talk-over.ts';
import { Host, Port } from '#lib/checks/host-setting.ts';
import { failed, probing, succeeded } from '#lib/checks/outcome.ts';
import { DAY_MS } from '#lib/platform/time.ts';

/** A handshake whose certificate must be valid, for the name, from a trusted authority, and for long enough. */
export const tls = defineCheck({
  type: 'tls',
  mode: 'pull',
  title: 'TLS certificate',
  about:
    'Makes a TLS handshake, with starttls in the midst of another protocol. It succeeds when the certificate is valid, for the name, from a trusted authority, and for long enough. last_result shows days_left.',
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
  shown: Transcript,
  result: z.object({ days_left: z.int().describe('Whole days until the certificate expires.') }),
  contradictions: ({ config: { port, starttls } }) =>
    starttls !== undefined && port === 443
      ? [{ path: 'config.port', message: `must be that of a server of ${starttls}, which speaks plain text at first` }]
      : [],
  hosts: ({ config: { host, port } }) => [{ path: 'config.host', host, port }],
  targetLabel: ({ config }) => `tls ${config.host}:${config.port}`,
  probe: ({ config }, { net, settings, timeout_ms, now, shows = false }) =>
    probing(async () => {
      const { host, port, servername, starttls, min_days_remaining } = config;
      const tls = { servername, verify: false };
      const request = { host, port, timeout_ms, egress: settings.CHECK_EGRESS, ...(!starttls && { tls }) };
      const manner = { tls, whose: starttls };
      const talked = await converse(net, request, starttls ? STARTTLS[starttls] : [], manner);
      const { latency_ms, handshake } = talked;
      const shown = shows && starttls ? { transcript: talked.transcript } : {};
      if (!handshake) return { ...outcomeOfTalk(talked), ...shown };
      const { valid_to } = handshake;
      const days_left = Math.floor((valid_to - now) / DAY_MS);
      const shortly = days_left < min_days_remaining ? tooShort(days_left, valid_to, min_days_remaining) : '';
      const problem = handshake.problem || shortly;
      const outcome = { ...(problem ? failed('tls', problem, latency_ms) : succeeded(latency_ms)), ...shown };
      return Number.isNaN(days_left) ? outcome : { ...outcome, days_left };
    }),
  examples: {
    valid: [
      { config: { host: 'example.com', min_days_remaining: 14 } },
      { config: { host: 'example.com' } },
      { config: { host: 'mail.example.com', port: 587, starttls: 'smtp' } },
      { config: { host: '192.168.1.10', port: 8443, servername: 'intern.example.com', min_days_remaining: 14 } },
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

function tooShort(days: number, validTo: number, wanted: number): string {
  const day = new Date(validTo).toISOString().slice(0, 10);
  return `certificate expires on ${day}, in ${days} days; at least ${wanted} are wanted: renew it`;
}
