import * as z from 'zod';
import { defineCheck } from '#lib/checks/check-type.ts';
import { Host, Port } from '#lib/checks/host-setting.ts';
import { failed, probing, succeeded } from '#lib/checks/outcome.ts';
import { DAY_MS } from '#lib/platform/time.ts';

/** A handshake whose certificate must be valid, for the name, from a trusted authority, and for long enough. */
export const tls = defineCheck({
  type: 'tls',
  mode: 'pull',
  title: 'TLS certificate',
  about:
    'Makes a TLS handshake. It succeeds when the certificate is valid, for the name, from a trusted authority, and for long enough. last_result shows days_left.',
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
  result: z.object({ days_left: z.int().describe('Whole days until the certificate expires.') }),
  hosts: ({ config }) => [{ path: 'config.host', host: config.host }],
  targetLabel: ({ config }) => `tls ${config.host}:${config.port}`,
  probe: ({ config }, { net, settings, timeout_ms, now }) =>
    probing(async () => {
      const { host, port, servername = host, min_days_remaining } = config;
      const reply = await net.tls({ host, port, servername, timeout_ms, egress: settings.CHECK_EGRESS });
      const days_left = Math.floor((reply.valid_to - now) / DAY_MS);
      const shortly = days_left < min_days_remaining ? tooShort(days_left, reply.valid_to, min_days_remaining) : '';
      const problem = reply.problem || shortly;
      const outcome = problem ? failed('tls', problem, reply.latency_ms) : succeeded(reply.latency_ms);
      return Number.isNaN(days_left) ? outcome : { ...outcome, days_left };
    }),
  examples: {
    valid: [
      { config: { host: 'example.com', min_days_remaining: 14 } },
      { config: { host: 'example.com' } },
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
    ],
  },
});

function tooShort(days: number, validTo: number, wanted: number): string {
  const day = new Date(validTo).toISOString().slice(0, 10);
  return `certificate expires on ${day}, in ${days} days; at least ${wanted} are wanted: renew it`;
}
