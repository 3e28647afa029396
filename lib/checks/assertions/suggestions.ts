import type { Assertion } from './assertion.ts';
import type { SourceName } from './sources.ts';

type ExampleAssertion = Partial<Assertion> & { source: SourceName };

const inlineText = (assertion: ExampleAssertion): string =>
  `config.assertions: [${JSON.stringify(assertion, null, 1)
    .replaceAll(/([[{])\s+|\s+([\]}])/g, '$1$2')
    .replaceAll(/\n\s*/g, ' ')}]`;

const MISSING: ExampleAssertion = { source: 'body', operator: 'not_contains', value: '…' };
const AT_PATH: ExampleAssertion = { source: 'json', property: '$.status', operator: 'equals', value: 'ok' };
const STATUSES: ExampleAssertion = { source: 'status_code', operator: 'one_of', value: ['2xx', 304] };
const HEADER: ExampleAssertion = { source: 'header', property: 'x-name', operator: 'equals', value: '…' };
const FAST: ExampleAssertion = { source: 'latency_ms', operator: 'less_than', value: 800 };
const SLOW: ExampleAssertion = { ...FAST, severity: 'warn' };
const LASTS: ExampleAssertion = { source: 'days_left', operator: 'at_least', value: 21, severity: 'warn' };

/** Settings of other services, each with an equivalent assertion. */
const EQUIVALENTS: Readonly<Record<string, ExampleAssertion>> = {
  body_not_contains: MISSING,
  keyword_absent: MISSING,
  invert_keyword: MISSING,
  body_matches: { source: 'body', operator: 'matches', value: '…' },
  json_path: AT_PATH,
  json_query: AT_PATH,
  expected_json: AT_PATH,
  expected_statuses: STATUSES,
  accepted_statuscodes: STATUSES,
  expected_headers: HEADER,
  max_latency_ms: FAST,
  max_response_time: FAST,
  degraded_after_ms: SLOW,
  degraded_response_time: SLOW,
  warn_after_ms: SLOW,
  warn_days: LASTS,
  warning_days: LASTS,
  expiry_warning_days: LASTS,
  expected_rcode: { source: 'rcode', operator: 'equals', value: 'NXDOMAIN' },
};

/** Maps setting names of other services to what a check type with these sources has instead. */
export const suggestionsFor = (sources: readonly SourceName[]): Record<string, string> => ({
  assertions: 'config.assertions',
  conditions: 'config.assertions',
  ...Object.fromEntries(
    Object.entries(EQUIVALENTS)
      .filter(([, { source }]) => sources.includes(source))
      .map(([name, assertion]) => [name, inlineText(assertion)]),
  ),
});

/** Message for an expected_status that is not a single status. */
export const SEVERAL_STATUSES = `must be one status, as a number; for several use ${inlineText(STATUSES)}`;
