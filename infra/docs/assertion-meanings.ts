import type { Operator } from '#lib/checks/assertions/operators.ts';
import type { SourceName } from '#lib/checks/assertions/sources.ts';

export const MEANING_OF_SOURCE: Readonly<Record<SourceName, string>> = {
  status_code: 'Status of the response. one_of also accepts a class, "2xx", or a range, "200-299".',
  body: 'Text of the body: for http the first MB, for a ping the first 10,000 bytes.',
  json: 'Value in a JSON body of at most 1 MB, at the path in property. A final .length is the length of a list or text, unless the value has a property with that name.',
  header: 'Header with that name, regardless of case; repeated ones are joined by a comma and a space.',
  latency_ms: 'Latency in milliseconds.',
  days_left: 'Whole days until the certificate (for http that of the last hop) or the domain expires.',
  tls_version: 'Protocol version, such as TLSv1.3.',
  issuer: 'Organization of the issuer of the certificate, else its common name.',
  fingerprint_sha256: 'SHA-256 of the certificate in upper-case hex with colons, such as AB:CD:….',
  any_record: 'DNS records; any match counts.',
  all_records: 'DNS records; all must match.',
  record_count: 'Number of returned records.',
  rcode: 'Response code: NOERROR, NXDOMAIN, SERVFAIL or REFUSED.',
};

export const MEANING_OF_OPERATOR: Readonly<Record<Operator, string>> = {
  equals: 'the value is equal: texts exactly, JSON by type and value, DNS records as with expected_value',
  not_equals: 'the value is different or absent',
  one_of: 'the value equals one of the listed values',
  not_one_of: 'the value equals none of the listed values',
  contains: 'the value contains the exact text',
  not_contains: 'the value does not contain the text',
  matches:
    'the RE2 expression matches anywhere in the first 32 KB of the value; flags are part of the expression, such as (?i)',
  not_matches: 'the RE2 expression does not match anywhere in the first 32 KB of the value',
  less_than: 'the value is a smaller number',
  at_most: 'the value is this number or a smaller one',
  at_least: 'the value is this number or a larger one',
  greater_than: 'the value is a larger number',
  exists: 'there is a value, which may be JSON null',
  not_exists: 'there is no value',
};
