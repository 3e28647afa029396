import { type Operator, type OperatorGroup, operatorsOf } from './operators.ts';

/** The kinds of error that a failed assertion may have, and what each means. */
export const ASSERTION_ERRORS = {
  status: 'another status than expected',
  body: 'not the body that is expected',
  header: 'not the header that is expected',
  latency: 'too slow, or too fast',
  tls: 'handshake or certificate',
  expiry: 'the domain expires',
  dns: 'the name did not resolve, or the record is another',
} as const;
export type AssertionErrorKind = keyof typeof ASSERTION_ERRORS;

/**
 * What the values of a source are. `status`: a whole number, which classes and ranges may stand for; `code`: one of
 * `RCODES`; `record`: a text that is compared as DNS compares.
 */
type Values = 'integer' | 'status' | 'text' | 'json' | 'header' | 'record' | 'code';

/** The operators of values. */
const GROUPS: Readonly<Record<Values, readonly OperatorGroup[]>> = {
  integer: ['equality', 'order'],
  status: ['equality', 'order'],
  text: ['equality', 'text'],
  json: ['equality', 'text', 'order', 'presence'],
  header: ['equality', 'text', 'order', 'presence'],
  record: ['equality', 'text'],
  code: ['equality'],
};

type SourceRow = {
  values: Values;
  /** What `property` says, for sources that have one. */
  property?: 'path' | 'header';
  /** Of what fails: of days_left it may be another (facts.ts). */
  error_kind: AssertionErrorKind;
  /** For the documents. */
  meaning: string;
};

/** Everything that an assertion may be about. A check type names those that it has (`sources` in check-type.ts). */
export const SOURCES = {
  status_code: {
    values: 'status',
    error_kind: 'status',
    meaning: 'Status of the answer. In one_of also a class, "2xx", or a range, "200-299".',
  },
  body: {
    values: 'text',
    error_kind: 'body',
    meaning: 'Text of the body: of http the first MB, of a ping the first 10,000 bytes.',
  },
  json: {
    values: 'json',
    property: 'path',
    error_kind: 'body',
    meaning:
      'Value in a JSON body of at most 1 MB, at the path in property; a last .length is that of a list or text, where it has no such member.',
  },
  header: {
    values: 'header',
    property: 'header',
    error_kind: 'header',
    meaning: 'Header of that name, in any case; repeated ones are joined by a comma and a blank.',
  },
  latency_ms: { values: 'integer', error_kind: 'latency', meaning: 'How long it took, in milliseconds.' },
  days_left: {
    values: 'integer',
    error_kind: 'tls',
    meaning: 'Whole days until the certificate (of http that of the last hop) or the domain expires.',
  },
  tls_version: { values: 'text', error_kind: 'tls', meaning: 'Version of the protocol, such as TLSv1.3.' },
  issuer: {
    values: 'text',
    error_kind: 'tls',
    meaning: 'Organisation of the issuer of the certificate; its common name where it has none.',
  },
  fingerprint_sha256: {
    values: 'text',
    error_kind: 'tls',
    meaning: 'SHA-256 of the certificate in upper-case hex with colons, such as AB:CD:….',
  },
  any_record: { values: 'record', error_kind: 'dns', meaning: 'It must hold of one of the records.' },
  all_records: { values: 'record', error_kind: 'dns', meaning: 'It must hold of each of the records.' },
  record_count: { values: 'integer', error_kind: 'dns', meaning: 'How many records were answered.' },
  rcode: {
    values: 'code',
    error_kind: 'dns',
    meaning: 'Response code: NOERROR, NXDOMAIN, SERVFAIL or REFUSED.',
  },
} as const satisfies Record<string, SourceRow>;

export type SourceName = keyof typeof SOURCES;
export const SOURCE_NAMES = Object.keys(SOURCES) as SourceName[];

/** A source by its name. */
export const sourceOf = (name: SourceName): SourceRow => SOURCES[name];

/** The operators that a source has. */
export const operatorsFor = (name: SourceName): Operator[] => operatorsOf(GROUPS[SOURCES[name].values]);
