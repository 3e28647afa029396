import { isIPv6 } from 'node:net';
import * as z from 'zod';
import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import { judge } from '#lib/checks/assertions/judge.ts';
import { defineCheck } from '#lib/checks/check-type.ts';
import { failed, probing, succeeded, withVerdict } from '#lib/checks/outcome.ts';
import { parseServer } from '#lib/platform/net/dns-server-address.ts';
import { isPublicValue } from '#lib/platform/net/egress.ts';
import { ipv6Groups } from '#lib/platform/net/ipv6.ts';
import {
  type LookUp,
  type Net,
  NetError,
  type NoRecord,
  RECORD_TYPES,
  type RecordType,
} from '#lib/platform/net/net.ts';
import { shorten } from '#lib/platform/text.ts';

/** A question to a DNS server: success is at least one answer, and the expected one among them if one is expected. */
export const dns = defineCheck({
  type: 'dns',
  mode: 'pull',
  title: 'DNS record',
  about:
    'Asks a DNS server for a record. It succeeds with at least one answer, and the expected one among them if one is expected, when the assertions hold. DNS is asked, not the hosts file.',
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
  sources: ['latency_ms', 'any_record', 'all_records', 'record_count', 'rcode'],
  result: z.object({
    records: z
      .array(z.string())
      .describe(
        'dns, of a check with assertions and of a trial: the answers, 10 at most, without private ones that only a DNS server of this service knows.',
      ),
  }),
  hosts: ({ config: { resolver } }) =>
    resolver === undefined ? [] : [{ path: 'config.resolver', host: parseServer(resolver)?.host ?? resolver }],
  targetLabel: ({ config }) => `dns ${config.record_type} ${config.hostname}`,
  probe: ({ config }, { net, settings, timeout_ms, shows = false }) =>
    probing(async () => {
      const { hostname, record_type: type, resolver, assertions = [] } = config;
      const egress = settings.CHECK_EGRESS;
      const answer = await ask(net, { hostname, type, timeout_ms, egress, resolver }, assertions);
      const { values, rcode, latency_ms } = answer;
      // The operator's own resolver may know private zones and names of private addresses.
      const isPrivate = (value: string) => type === 'PTR' || !isPublicValue(value, settings.EGRESS_ALLOW);
      const isOurs = resolver === undefined && egress === 'public';
      const seen = isOurs ? values.filter((value) => !isPrivate(value)) : values;
      const none = values.length > seen.length ? 'none that may be shown' : 'none';
      const same = (a: string, b: string) => comparable(type, a) === comparable(type, b);
      const facts = { latency_ms, rcode, records: { values: seen, same, none } };
      const found = withVerdict(judgeAnswer(config, answer, seen), await judge(assertions, facts, shows));
      return {
        ...found,
        ...(shows ? { records: seen.slice(0, MOST_SHOWN) } : assertions.length > 0 && { records: remembered(seen) }),
        ...(answer.unanswered && !found.success && { unanswered: true }),
      };
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

/** So many answers are shown to whoever tries the settings. */
const MOST_SHOWN = 10;
/** Of each so many characters are remembered: check items are to stay small. */
const MOST_REMEMBERED = 100;

/** As a check remembers them: in an order of their own, since servers answer in ever another one. */
const remembered = (values: readonly string[]): string[] =>
  values
    .toSorted()
    .slice(0, MOST_SHOWN)
    .map((value) => shorten(value, MOST_REMEMBERED));

type Answer = { values: string[]; rcode: NoRecord; latency_ms: number; unanswered?: boolean };

/** Asks. An answer without records is one too, where assertions that can fail say how many or which code. */
async function ask(net: Net, question: LookUp, assertions: readonly Assertion[]): Promise<Answer> {
  const isJudged = assertions.some(
    ({ source, severity }) => severity === 'fail' && (source === 'rcode' || source === 'record_count'),
  );
  try {
    return { ...(await net.resolve(question)), rcode: 'NOERROR' };
  } catch (error) {
    if (!isJudged || !(error instanceof NetError) || !error.rcode) throw error;
    const { rcode, latency_ms, answered } = error;
    return { values: [], rcode, latency_ms, ...(!answered && { unanswered: true }) };
  }
}

type Question = { hostname: string; record_type: RecordType; expected_value?: string | undefined };

/** @param seen those of the answers that may be shown */
function judgeAnswer(
  { hostname, record_type: type, expected_value: expected }: Question,
  answer: Answer,
  seen: string[],
) {
  const { values, latency_ms } = answer;
  if (expected === undefined) return succeeded(latency_ms);
  const wanted = comparable(type, expected);
  if (values.some((value) => comparable(type, value) === wanted)) return succeeded(latency_ms);
  const got = quoted(seen, values.length);
  return failed('dns', `no ${type} record of ${hostname} is ${JSON.stringify(expected)}; got ${got}`, latency_ms);
}

/** Any labels that fit into a question (service names have underscores), or an address, whose PTR name follows. */
function isDnsName(text: string): boolean {
  return isIPv6(text) || /^(?:[^\s.:/?#@]{1,63}\.)*[^\s.:/?#@]{1,63}\.?$/.test(text);
}

/** Of `count` values the first five that may be shown. */
function quoted(values: string[], count: number): string {
  if (count === 0) return 'none';
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
