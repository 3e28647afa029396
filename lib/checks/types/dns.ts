import { isIPv6 } from 'node:net';
import * as z from 'zod';
import { parseServer } from '#lib/net/dns-server-address.ts';
import { RECORD_TYPES } from '#lib/net/net.ts';
import { defineCheck } from './check-type.ts';

const Config = z.strictObject({
  hostname: z
    .string()
    .max(254)
    .refine(isDnsName, 'must be a name such as example.com, without scheme and port')
    .describe('Name to resolve; for PTR also an IP address.'),
  record_type: z
    .string()
    .toUpperCase()
    .pipe(z.enum(RECORD_TYPES))
    .describe(`One of ${RECORD_TYPES.join(', ')}, in any letter case.`),
  expected_value: z
    .string()
    .min(1)
    .max(4096)
    .describe(
      'Value that one of the records must have. Names ignore case and trailing dot; MX as "10 mail.example.com"; TXT must match exactly.',
    )
    .optional(),
  resolver: z
    .string()
    .refine((text) => parseServer(text) !== undefined, 'must be an IP address or address:port, such as 192.0.2.1:53')
    .describe('DNS server: IP address or address:port. Default: DNS server of the service.')
    .meta({ 'x-group': 'Request' })
    .optional(),
});
export type DnsConfig = z.output<typeof Config>;

export const dns = defineCheck({
  type: 'dns',
  mode: 'pull',
  title: 'DNS record',
  about:
    'Resolves a DNS record. It succeeds if the response has at least one record (or an assertion on rcode or record_count decides), includes the expected value if set, and meets the assertions. The hosts file is not used.',
  config: Config,
  sources: ['latency_ms', 'any_record', 'all_records', 'record_count', 'rcode'],
  result: z.object({
    records: z
      .array(z.string())
      .describe(
        'Up to 10 records, for DNS checks with assertions and in settings tests. Private addresses from the DNS server of the service are omitted.',
      ),
  }),
  hosts: ({ config: { resolver } }) =>
    resolver === undefined ? [] : [{ path: 'config.resolver', host: parseServer(resolver)?.host ?? resolver }],
  isHarmless: () => true,
  targetLabel: ({ config }) => `dns ${config.record_type} ${config.hostname}`,
  probe: async () => (await import('#lib/checks/types/dns-probe.ts')).probeDns,
  examples: {
    valid: [
      { config: { hostname: 'example.com', record_type: 'A', expected_value: '192.0.2.10' } },
      { config: { hostname: 'example.com', record_type: 'A' } },
      { config: { hostname: '_sip._tcp.example.com.', record_type: 'srv', resolver: '192.0.2.53' } },
      {
        config: {
          hostname: 'example.com',
          record_type: 'Mx',
          expected_value: '10 mail.example.com',
          resolver: '10.0.0.1:5353',
        },
      },
      {
        config: {
          hostname: 'gone.example.com',
          record_type: 'A',
          assertions: [{ source: 'rcode', operator: 'equals', value: 'NXDOMAIN' }],
        },
      },
      { config: { hostname: '2001:db8::1', record_type: 'PTR', resolver: '[2001:db8::53]:53' } },
    ],
    invalid: [
      { value: { config: { record_type: 'A' } }, path: 'config.hostname' },
      { value: { config: { hostname: '', record_type: 'A' } }, path: 'config.hostname' },
      { value: { config: { hostname: 'https://example.com', record_type: 'A' } }, path: 'config.hostname' },
      { value: { config: { hostname: 'a..b', record_type: 'A' } }, path: 'config.hostname' },
      { value: { config: { hostname: 'example.com' } }, path: 'config.record_type' },
      { value: { config: { hostname: 'example.com', record_type: 'ANY' } }, path: 'config.record_type' },
      {
        value: { config: { hostname: 'example.com', record_type: 'A', expected_value: 1 } },
        path: 'config.expected_value',
      },
      {
        value: { config: { hostname: 'example.com', record_type: 'A', resolver: 'dns.google' } },
        path: 'config.resolver',
      },
      {
        value: { config: { hostname: 'example.com', record_type: 'A', resolver: '1.1.1.1:0' } },
        path: 'config.resolver',
      },
      {
        value: { config: { hostname: 'example.com', record_type: 'A', resolver: '[1.1.1.1]:53' } },
        path: 'config.resolver',
      },
      {
        value: { config: { hostname: 'example.com', record_type: 'A', expected: '1.2.3.4' } },
        path: 'config.expected',
      },
    ],
  },
});

/** Whether a text is a valid query name (service names have underscores), or an address for PTR. */
function isDnsName(text: string): boolean {
  return isIPv6(text) || /^(?:[^\s.:/?#@]{1,63}\.)*[^\s.:/?#@]{1,63}\.?$/.test(text);
}
