import * as z from 'zod';
import { ExpiryProperties, unreachableWarnings } from '#lib/checks/assertions/expiry.ts';
import { STARTTLS_PROTOCOLS, Transcript } from '#lib/checks/conversation/steps.ts';
import { defineCheck } from './check-type.ts';
import { Host, Port } from './host-setting.ts';

const TLS = { 'x-group': 'TLS' };

const Config = z.strictObject({
  host: Host,
  port: Port.default(443),
  servername: Host.describe('Name that the certificate must have. Default: host.')
    .meta({ ...TLS, title: 'Server name (SNI)' })
    .optional(),
  starttls: z
    .enum(STARTTLS_PROTOCOLS)
    .describe('Protocol that starts TLS on a plain-text port, such as smtp on 587, imap on 143 or postgres on 5432.')
    .meta({ ...TLS, title: 'STARTTLS' })
    .optional(),
  min_days_remaining: z
    .int()
    .min(0)
    .max(3650)
    .describe('Minimum whole days until expiry, 0–3,650. 0: fails only after expiry or before validity. Default: 0.')
    .meta({ title: 'Minimum days left' })
    .default(0),
});
export type TlsConfig = z.output<typeof Config>;

export const tls = defineCheck({
  type: 'tls',
  mode: 'pull',
  title: 'TLS certificate',
  about:
    'Performs a TLS handshake. With starttls, a plain-text conversation in that protocol comes first. It succeeds if the certificate is trusted and valid for the name and for long enough, and the assertions are met. last_result shows days_left and expires_at.',
  config: Config,
  sources: ['latency_ms', 'days_left', 'tls_version', 'issuer', 'fingerprint_sha256'],
  result: ExpiryProperties,
  shown: Transcript,
  contradictions: ({ config: { port, starttls, assertions = [], min_days_remaining } }) => {
    const message = `must be a port with plain-text ${starttls}`;
    const wrongPort = starttls !== undefined && port === 443 ? [{ path: 'config.port', message }] : [];
    return [...wrongPort, ...unreachableWarnings(assertions, min_days_remaining)];
  },
  hosts: ({ config: { host, port } }) => [{ path: 'config.host', host, port }],
  isHarmless: () => true,
  targetLabel: ({ config }) => `tls ${config.host}:${config.port}`,
  probe: async () => (await import('#lib/checks/types/tls-probe.ts')).probeTls,
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
