import * as z from 'zod';
import { defineCheck } from './check-type.ts';
import { Host, Port } from './host-setting.ts';

const TLS = { 'x-group': 'TLS' };

const Config = z.strictObject({
  host: Host,
  port: Port,
  tls: z.boolean().describe('Whether to use TLS. Default: true.').meta(TLS).default(true),
  servername: Host.describe('Name that the certificate must have. Default: host.')
    .meta({ ...TLS, title: 'Server name (SNI)' })
    .optional(),
  verify_tls: z
    .boolean()
    .describe('Whether the certificate must be valid. Disable it only for self-signed certificates. Default: true.')
    .meta(TLS)
    .optional(),
  service: z.string().max(200).describe('Service to query; empty: the whole server. Default: empty.').default(''),
});
export type GrpcConfig = z.output<typeof Config>;

export const grpc = defineCheck({
  type: 'grpc',
  mode: 'pull',
  title: 'gRPC health',
  about:
    'Queries a gRPC server for the health of a service (grpc.health.v1.Health/Check). It succeeds if the status is SERVING.',
  config: Config,
  sources: ['latency_ms'],
  hosts: ({ config: { host, port } }) => [{ path: 'config.host', host, port }],
  targetLabel: ({ config: { host, port, service } }) => `grpc ${host}:${port}${service && ` ${service}`}`,
  probe: async () => (await import('#lib/checks/types/grpc-probe.ts')).probeGrpc,
  examples: {
    valid: [
      { config: { host: 'cart.example.com', port: 443, service: 'shop.Cart' } },
      { config: { host: '192.168.1.10', port: 50_051, tls: false } },
      { config: { host: 'cart.example.com', port: 443, servername: 'cart', verify_tls: false } },
    ],
    invalid: [
      { value: { config: { port: 443 } }, path: 'config.host' },
      { value: { config: { host: 'https://cart.example.com', port: 443 } }, path: 'config.host' },
      { value: { config: { host: 'cart.example.com' } }, path: 'config.port' },
      { value: { config: { host: 'cart.example.com', port: 443, service: 'x'.repeat(201) } }, path: 'config.service' },
      { value: { config: { host: 'cart.example.com', port: 443, method: 'Watch' } }, path: 'config.method' },
    ],
  },
});
