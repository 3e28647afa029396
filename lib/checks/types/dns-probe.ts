import { isIPv6 } from 'node:net';
import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import { evaluateAssertions } from '#lib/checks/assertions/evaluate.ts';
import { failed, probing, succeeded, withVerdict } from '#lib/checks/outcome.ts';
import { isPublicValue } from '#lib/net/egress.ts';
import { type LookUp, type Net, NetError, type NoRecord, type RecordType } from '#lib/net/net.ts';
import { ipv6Groups } from '#lib/platform/ipv6.ts';
import { shorten } from '#lib/platform/text.ts';
import type { ProbeInput, Settled } from './check-type.ts';
import type { DnsConfig } from './dns.ts';

/** Asks a DNS server for a record. */
export const probeDns = ({ config }: Settled<DnsConfig>, { net, settings, timeout_ms, shows = false }: ProbeInput) =>
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
    const found = withVerdict(judgeAnswer(config, answer, seen), await evaluateAssertions(assertions, facts, shows));
    return {
      ...found,
      ...(shows ? { records: seen.slice(0, MAX_SHOWN) } : assertions.length > 0 && { records: remembered(seen) }),
      ...(answer.unanswered && !found.success && { unanswered: true }),
    };
  });

/** So many answers are shown to whoever tries the settings. */
const MAX_SHOWN = 10;
/** Of each so many characters are remembered: check items are to stay small. */
const MAX_REMEMBERED = 100;

/** As a check remembers them: in an order of their own, since servers answer in ever another one. */
const remembered = (values: readonly string[]): string[] =>
  values
    .toSorted()
    .slice(0, MAX_SHOWN)
    .map((value) => shorten(value, MAX_REMEMBERED));

type DnsResponse = { values: string[]; rcode: NoRecord; latency_ms: number; unanswered?: boolean };

/** Asks. An answer without records is one too, where assertions that can fail say how many or which code. */
async function ask(net: Net, question: LookUp, assertions: readonly Assertion[]): Promise<DnsResponse> {
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

/** @param seen those of the answers that may be shown */
function judgeAnswer(
  { hostname, record_type: type, expected_value: expected }: DnsConfig,
  answer: DnsResponse,
  seen: string[],
) {
  const { values, latency_ms } = answer;
  if (expected === undefined) return succeeded(latency_ms);
  const wanted = comparable(type, expected);
  if (values.some((value) => comparable(type, value) === wanted)) return succeeded(latency_ms);
  const got = quoted(seen, values.length);
  return failed('dns', `no ${type} record of ${hostname} is ${JSON.stringify(expected)}; got ${got}`, latency_ms);
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
