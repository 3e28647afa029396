import type { Operator } from '#lib/checks/assertions/operators.ts';
import type { SourceName } from '#lib/checks/assertions/sources.ts';

/** What each source of assertions is, for the documents. */
export const MEANING_OF_SOURCE: Readonly<Record<SourceName, string>> = {
  status_code: 'Status of the answer. In one_of also a class, "2xx", or a range, "200-299".',
  body: 'Text of the body: of http the first MB, of a ping the first 10,000 bytes.',
  json: 'Value in a JSON body of at most 1 MB, at the path in property; a last .length is that of a list or text, where it has no such member.',
  header: 'Header of that name, in any case; repeated ones are joined by a comma and a blank.',
  latency_ms: 'How long it took, in milliseconds.',
  days_left: 'Whole days until the certificate (of http that of the last hop) or the domain expires.',
  tls_version: 'Version of the protocol, such as TLSv1.3.',
  issuer: 'Organisation of the issuer of the certificate; its common name where it has none.',
  fingerprint_sha256: 'SHA-256 of the certificate in upper-case hex with colons, such as AB:CD:….',
  any_record: 'It must hold of one of the records.',
  all_records: 'It must hold of each of the records.',
  record_count: 'How many records were answered.',
  rcode: 'Response code: NOERROR, NXDOMAIN, SERVFAIL or REFUSED.',
};

/** When each operator is true, for the documents. */
export const MEANING_OF_OPERATOR: Readonly<Record<Operator, string>> = {
  equals: 'the value is this one: texts to the letter, JSON by type and value, records as expected_value compares',
  not_equals: 'it is not this one, or there is none',
  one_of: 'it equals one of 1 to 50 values',
  not_one_of: 'it equals none of 1 to 50 values',
  contains: 'the text is somewhere in it, to the letter',
  not_contains: 'the text is nowhere in it',
  matches: 'the RE2 expression is found anywhere in the first 32 KB of it; flags stand in it, as (?i)',
  not_matches: 'the RE2 expression is not found there',
  less_than: 'it is a number below this one',
  at_most: 'it is this number, or below',
  at_least: 'it is this number, or above',
  greater_than: 'it is a number above this one',
  exists: 'there is a value; JSON null is one',
  not_exists: 'there is none',
};
