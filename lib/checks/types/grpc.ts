import * as z from 'zod';
import { defineCheck } from './check-type.ts';
import { Host, Port } from './host-setting.ts';

const Config = z.strictObject({
  host: Host,
  port: Port,
  tls: z.boolean().describe('Whether TLS is spoken.').default(true),
  servername: Host.describe('The name that the certificate must have; default: host.').optional(),
  verify_tls: z
    .boolean()
    .describe('Whether the certificate must be valid; default true. Turn it off for self-signed ones only.')
    .optional(),
  service: z
    .string()
    .max(200)
    .describe('The service whose health is asked for; empty: that of the whole server.')
    .default(''),
});
export type GrpcConfig = z.output<typeof Config>;

/** The health of a gRPC server, as grpc.health.v1 tells it. */
export const grpc = defineCheck({
  type: 'grpc',
  mode: 'pull',
  title: 'gRPC health',
  about:
    'Asks a gRPC server for the health of a service (grpc.health.v1.Health/Check). It succeeds when the answer is SERVING.',
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
