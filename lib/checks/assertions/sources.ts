import { namesOf } from '#lib/platform/plain-data.ts';
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
  /** Of what fails: of days_left it may be another (observation.ts). */
  error_kind: AssertionErrorKind;
};

/** Everything that an assertion may be about. A check type names those that it has (`sources` in check-type.ts). */
const SOURCES = {
  status_code: { values: 'status', error_kind: 'status' },
  body: { values: 'text', error_kind: 'body' },
  json: { values: 'json', property: 'path', error_kind: 'body' },
  header: { values: 'header', property: 'header', error_kind: 'header' },
  latency_ms: { values: 'integer', error_kind: 'latency' },
  days_left: { values: 'integer', error_kind: 'tls' },
  tls_version: { values: 'text', error_kind: 'tls' },
  issuer: { values: 'text', error_kind: 'tls' },
  fingerprint_sha256: { values: 'text', error_kind: 'tls' },
  any_record: { values: 'record', error_kind: 'dns' },
  all_records: { values: 'record', error_kind: 'dns' },
  record_count: { values: 'integer', error_kind: 'dns' },
  rcode: { values: 'code', error_kind: 'dns' },
} as const satisfies Record<string, SourceRow>;

export type SourceName = keyof typeof SOURCES;
export const SOURCE_NAMES = namesOf(SOURCES);

/** A source by its name. */
export const sourceOf = (name: SourceName): SourceRow => SOURCES[name];

/** The operators that a source has. */
export const operatorsFor = (name: SourceName): Operator[] => operatorsOf(GROUPS[SOURCES[name].values]);
