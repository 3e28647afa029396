import { isIPv6 } from 'node:net';
import * as z from 'zod';
import { defineCheck } from '#lib/checks/check-type.ts';
import { failed, probing, succeeded } from '#lib/checks/outcome.ts';
import { parseServer } from '#lib/platform/net/dns-server-address.ts';
import { isPublicValue } from '#lib/platform/net/egress.ts';
import { ipv6Groups } from '#lib/platform/net/ipv6.ts';
import { RECORD_TYPES, type RecordType } from '#lib/platform/net/net.ts';

/** A question to a DNS server: success is at least one answer, and the expected one among them if one is expected. */
export const dns = defineCheck({
  type: 'dns',
  mode: 'pull',
  title: 'DNS record',
  about:
    'Asks a DNS server for a record. It succeeds with at least one answer, and the expected one among them if one is expected. DNS is asked, not the hosts file.',
  config: z.strictObject({
    hostname: z
      .string()
      .max(254)
      .refine(isDnsName, 'must be a name such as example.com, without scheme and port')
      .describe('The name to ask for; for PTR also an IP address.'),
    record_type: z
      .string()
      .toUpperCase()
      .pipe(z.enum(RECORD_TYPES))
      .describe(`One of ${RECORD_TYPES.join(', ')}, in any case.`),
    expected_value: z
      .string()
      .min(1)
      .max(4096)
      .describe(
        'One of the answers must be this. Names in any case, with or without the last dot; MX as "10 mail.example.com"; TXT to the letter.',
      )
      .optional(),
    resolver: z
      .string()
      .refine((text) => parseServer(text) !== undefined, 'must be an IP address or address:port, such as 192.0.2.1:53')
      .describe('The server to ask: an IP address or address:port. Default: that of the service.')
      .optional(),
  }),
  shown: z.object({
    records: z
      .array(z.string())
      .describe('dns: the answers, 10 at most, without private ones that only a DNS server of this service knows.'),
  }),
  hosts: ({ config: { resolver } }) =>
    resolver === undefined ? [] : [{ path: 'config.resolver', host: parseServer(resolver)?.host ?? resolver }],
  targetLabel: ({ config }) => `dns ${config.record_type} ${config.hostname}`,
  probe: ({ config }, { net, settings, timeout_ms, shows = false }) =>
    probing(async () => {
      const { hostname, record_type: type, expected_value: expected, resolver } = config;
      const egress = settings.CHECK_EGRESS;
      const question = { hostname, type, timeout_ms, egress, resolver };
      const { values, latency_ms } = await net.resolve(question);
      // The operator's own resolver may know private zones and names of private addresses.
      const isPrivate = (value: string) => type === 'PTR' || !isPublicValue(value, settings.EGRESS_ALLOW);
      const isOurs = resolver === undefined && egress === 'public';
      const seen = () => (isOurs ? values.filter((value) => !isPrivate(value)) : values);
      const shown = shows ? { records: seen().slice(0, MOST_SHOWN) } : {};
      const found = { ...succeeded(latency_ms), ...shown };
      if (expected === undefined) return found;
      const wanted = comparable(type, expected);
      if (values.some((value) => comparable(type, value) === wanted)) return found;
      const got = quoted(seen(), values.length);
      const message = `no ${type} record of ${hostname} is ${JSON.stringify(expected)}; got ${got}`;
      return { ...failed('dns', message, latency_ms), ...shown };
    }),
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

/** So many answers are shown to whoever tries the settings. */
const MOST_SHOWN = 10;

/** Any labels that fit into a question (service names have underscores), or an address, whose PTR name follows. */
function isDnsName(text: string): boolean {
  return isIPv6(text) || /^(?:[^\s.:/?#@]{1,63}\.)*[^\s.:/?#@]{1,63}\.?$/.test(text);
}

/** Of `count` values the first five that may be shown. */
function quoted(values: string[], count: number): string {
  const few = values.slice(0, 5);
  if (few.length === 0)
    return `${count === 1 ? 'one' : count} that may be private and ${count === 1 ? 'is' : 'are'} not shown`;
  return few.join(', ') + (count > few.length ? ` and ${count - few.length} more` : '');
}

/** The form in which two values are the same: names in any case, without the last dot; text to the letter. */
function comparable(type: RecordType, value: string): string {
  if (type === 'TXT') return value;
  if (type === 'AAAA') return isIPv6(value) ? ipv6Groups(value).join(':') : value;
  const parts = value.trim().toLowerCase().split(/\s+/);
  return parts.map((part) => part.replaceAll('"', '').replace(/\.$/, '')).join(' ');
}
