import * as z from 'zod';
import { judge } from '#lib/checks/assertions/judge.ts';
import { defineCheck } from '#lib/checks/check-type.ts';
import { Host, Port } from '#lib/checks/host-setting.ts';
import { probing, succeeded, withVerdict } from '#lib/checks/outcome.ts';

/** A connection that comes about is a success; nothing is sent. */
export const tcp = defineCheck({
  type: 'tcp',
  mode: 'pull',
  title: 'TCP connection',
  about: 'Opens a connection to a port and closes it; nothing is sent. It succeeds when the connection is made.',
  config: z.strictObject({ host: Host, port: Port }),
  sources: ['latency_ms'],
  hosts: ({ config }) => [{ path: 'config.host', host: config.host }],
  targetLabel: ({ config }) => `tcp ${config.host}:${config.port}`,
  probe: ({ config }, { net, settings, timeout_ms }) =>
    probing(async () => {
      const { host, port } = config;
      const { latency_ms } = await net.connect({ host, port, timeout_ms, egress: settings.CHECK_EGRESS });
      return withVerdict(succeeded(latency_ms), await judge(config.assertions, { latency_ms }));
    }),
  examples: {
    valid: [
      { config: { host: 'db.example.com', port: 5432 } },
      { config: { host: '192.168.1.10', port: 22 } },
      { config: { host: '::1', port: 1 } },
      { config: { host: 'my_container', port: 65_535 } },
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
    ],
  },
});
