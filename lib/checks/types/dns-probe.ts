import { isIPv6 } from 'node:net';
import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import { evaluateAssertions } from '#lib/checks/assertions/evaluate.ts';
import { failed, outcomeOfProbe, succeeded, withAssertionResults } from '#lib/checks/outcome.ts';
import { isPublicValue } from '#lib/net/egress.ts';
import { type DnsRcode, type DnsRequest, type Net, NetError, type RecordType } from '#lib/net/net.ts';
import { ipv6Groups } from '#lib/platform/ipv6.ts';
import { shorten } from '#lib/platform/text.ts';
import type { ProbeInput, SettingsWith } from './check-type.ts';
import type { DnsConfig } from './dns.ts';

export const probeDns = (
  { config }: SettingsWith<DnsConfig>,
  { net, settings, timeout_ms, cpu, withDetails = false }: ProbeInput,
) =>
  outcomeOfProbe(async () => {
    const { hostname, record_type: type, resolver, assertions = [] } = config;
    const egress = settings.CHECK_EGRESS;
    const response = await resolve(net, { hostname, type, timeout_ms, egress, resolver }, assertions);
    const { values, rcode, latency_ms } = response;
    // The operator's resolver may know private zones and names of private addresses.
    const isPrivate = (value: string) => type === 'PTR' || !isPublicValue(value, settings.EGRESS_ALLOW);
    const isFiltered = resolver === undefined && egress === 'public';
    const visible = isFiltered ? values.filter((value) => !isPrivate(value)) : values;
    const none = values.length > visible.length ? 'none that can be shown' : 'none';
    const same = (a: string, b: string) => normalize(type, a) === normalize(type, b);
    const facts = { latency_ms, rcode, records: { values: visible, same, none } };
    const found = withAssertionResults(
      evaluateRecords(config, response, visible),
      await evaluateAssertions(assertions, facts, { cpu, withDetails }),
    );
    return {
      ...found,
      ...(withDetails
        ? { records: visible.slice(0, MAX_SHOWN) }
        : assertions.length > 0 && { records: storedRecords(visible) }),
      ...(response.unanswered && !found.success && { unanswered: true }),
    };
  });

const MAX_SHOWN = 10;
/** Maximum characters of each stored record, to keep check items small. */
const MAX_STORED_LENGTH = 100;

/** Sorts and limits records for storage: servers return them in varying order. */
const storedRecords = (values: readonly string[]): string[] =>
  values
    .toSorted()
    .slice(0, MAX_SHOWN)
    .map((value) => shorten(value, MAX_STORED_LENGTH));

type DnsResponse = { values: string[]; rcode: DnsRcode; latency_ms: number; unanswered?: boolean };

/** Resolves a record. Without records, throws `NetError` unless an assertion with severity fail decides the outcome. */
async function resolve(net: Net, question: DnsRequest, assertions: readonly Assertion[]): Promise<DnsResponse> {
  const areAssertionsDecisive = assertions.some(
    ({ source, severity }) => severity === 'fail' && (source === 'rcode' || source === 'record_count'),
  );
  try {
    return { ...(await net.resolve(question)), rcode: 'NOERROR' };
  } catch (error) {
    if (!areAssertionsDecisive || !(error instanceof NetError) || !error.rcode) throw error;
    const { rcode, latency_ms, answered } = error;
    return { values: [], rcode, latency_ms, ...(!answered && { unanswered: true }) };
  }
}

function evaluateRecords(
  { hostname, record_type: type, expected_value: expected }: DnsConfig,
  response: DnsResponse,
  visible: string[],
) {
  const { values, latency_ms } = response;
  if (expected === undefined) return succeeded(latency_ms);
  const normalized = normalize(type, expected);
  if (visible.some((value) => normalize(type, value) === normalized)) return succeeded(latency_ms);
  const got = listedRecords(visible, values.length);
  return failed('dns', `no ${type} record of ${hostname} is ${JSON.stringify(expected)}; got ${got}`, latency_ms);
}

function listedRecords(values: string[], count: number): string {
  if (count === 0) return 'none';
  const first = values.slice(0, 5);
  if (first.length === 0) return `${count === 1 ? 'one value' : `${count} values`}, not shown because possibly private`;
  return first.join(', ') + (count > first.length ? ` and ${count - first.length} more` : '');
}

/** Normalizes a record value: TXT is unchanged, IPv6 addresses are expanded, names are lower case without final dot. */
function normalize(type: RecordType, value: string): string {
  if (type === 'TXT') return value;
  if (type === 'AAAA') return isIPv6(value) ? ipv6Groups(value).join(':') : value;
  const parts = value.trim().toLowerCase().split(/\s+/);
  return parts.map((part) => part.replaceAll('"', '').replace(/\.$/, '')).join(' ');
}
