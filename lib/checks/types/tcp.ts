import * as z from 'zod';
import { expressionsOf, Steps, Transcript } from '#lib/checks/conversation/steps.ts';
import { defineCheck } from './check-type.ts';
import { Host, Port } from './host-setting.ts';

const TLS = { 'x-group': 'TLS' };

const Config = z.strictObject({
  host: Host,
  port: Port,
  tls: z.boolean().describe('Whether to use TLS from the start. Default: false.').meta(TLS).optional(),
  servername: Host.describe('Name that the certificate must have. Default: host.')
    .meta({ ...TLS, title: 'Server name (SNI)' })
    .optional(),
  verify_tls: z
    .boolean()
    .describe('Whether the certificate must be valid. Disable it only for self-signed certificates. Default: true.')
    .meta(TLS)
    .optional(),
  steps: Steps.optional(),
});
export type TcpConfig = z.output<typeof Config>;

export const tcp = defineCheck({
  type: 'tcp',
  mode: 'pull',
  title: 'TCP connection',
  about:
    'Opens a connection to a port. It succeeds if the connection is established and, with tls, the certificate is valid. With steps it exchanges data, for protocols such as SMTP, SSH and Redis.',
  config: Config,
  sources: ['latency_ms'],
  shown: Transcript,
  secrets: ['config.steps.send'],
  contradictions: ({ config: { tls, steps = [] } }) => {
    const secured = steps.flatMap(({ starttls }, i) => (starttls ? [i] : []));
    const message = tls ? 'is not allowed with tls, which uses TLS from the start' : 'is allowed only once';
    return secured.slice(tls ? 0 : 1).map((i) => ({ path: `config.steps.${i}.starttls`, message }));
  },
  expressions: ({ config }) => expressionsOf(config.steps ?? []),
  hosts: ({ config: { host, port } }) => [{ path: 'config.host', host, port }],
  isHarmless: () => true,
  targetLabel: ({ config }) => `tcp ${config.host}:${config.port}`,
  probe: async () => (await import('#lib/checks/types/tcp-probe.ts')).probeTcp,
  examples: {
    valid: [
      {
        config: {
          host: 'mail.example.com',
          port: 587,
          steps: [
            { expect: '220' },
            { send: 'EHLO fleetwatch\r\n' },
            { expect: 'STARTTLS' },
            { send: 'STARTTLS\r\n' },
            { expect: '220' },
            { starttls: true },
          ],
        },
      },
      { config: { host: 'db.example.com', port: 5432 } },
      { config: { host: '192.168.1.10', port: 22, steps: [{ matches: '^SSH-2\\.0-OpenSSH_(9|1\\d)' }] } },
      { config: { host: '::1', port: 1 } },
      { config: { host: 'my_container', port: 65_535 } },
      { config: { host: 'db.example.com', port: 6380, tls: true, servername: 'db', verify_tls: false, steps: [] } },
      {
        config: {
          host: '::1',
          port: 1,
          assertions: [{ source: 'latency_ms', operator: 'at_most', value: 50, severity: 'warn' }],
        },
      },
    ],
    invalid: [
      { value: { config: { port: 22 } }, path: 'config.host' },
      { value: { config: { host: '', port: 22 } }, path: 'config.host' },
      { value: { config: { host: 'https://example.com', port: 443 } }, path: 'config.host' },
      { value: { config: { host: 'example.com:443', port: 443 } }, path: 'config.host' },
      { value: { config: { host: 'fe80::1%eth0', port: 22 } }, path: 'config.host' },
      { value: { config: { host: '-x.dev', port: 22 } }, path: 'config.host' },
      { value: { config: { host: 'example.com' } }, path: 'config.port' },
      { value: { config: { host: 'example.com', port: '22' } }, path: 'config.port' },
      { value: { config: { host: 'example.com', port: 0 } }, path: 'config.port' },
      { value: { config: { host: 'example.com', port: 65_536 } }, path: 'config.port' },
      { value: { config: { host: 'example.com', port: 22, timeout: 1 } }, path: 'config.timeout' },
      { value: { config: { host: 'example.com', port: 22, steps: [{}] } }, path: 'config.steps.0' },
      { value: { config: { host: 'a', port: 22, steps: [{ send: 'a', expect: 'b' }] } }, path: 'config.steps.0' },
      { value: { config: { host: 'a', port: 22, steps: [{ expect: '' }] } }, path: 'config.steps.0.expect' },
      {
        value: { config: { host: 'a', port: 22, steps: [{ matches: 'x'.repeat(257) }] } },
        path: 'config.steps.0.matches',
      },
      { value: { config: { host: 'a', port: 22, steps: [{ send: '\u20ac' }] } }, path: 'config.steps.0.send' },
      {
        value: { config: { host: 'a', port: 22, steps: [{ expect: 'a', sends: 'b' }] } },
        path: 'config.steps.0.sends',
      },
      { value: { config: { host: 'a', port: 22, steps: [{ starttls: false }] } }, path: 'config.steps.0.starttls' },
      { value: { config: { host: 'a', port: 22, steps: Array(11).fill({ expect: 'a' }) } }, path: 'config.steps' },
    ],
  },
});
