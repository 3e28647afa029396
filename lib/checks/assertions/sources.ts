import { namesOf } from '#lib/platform/plain-data.ts';
import { type Operator, type OperatorGroup, operatorsOf } from './operators.ts';

export const ASSERTION_ERRORS = {
  status: 'unexpected status',
  body: 'unexpected body',
  header: 'unexpected header',
  latency: 'latency out of range',
  tls: 'TLS handshake or certificate',
  expiry: 'domain expires soon, is not registered, or has no published date',
  dns: 'name not resolved, or unexpected record',
} as const;
export type AssertionErrorKind = keyof typeof ASSERTION_ERRORS;

/** `status`: whole number, also matched by classes and ranges; `code`: an RCODE; `record`: compared as in DNS. */
type Values = 'integer' | 'status' | 'text' | 'json' | 'header' | 'record' | 'code';

const GROUPS: Readonly<Record<Values, readonly OperatorGroup[]>> = {
  integer: ['equality', 'order'],
  status: ['equality', 'order'],
  text: ['equality', 'text'],
  json: ['equality', 'text', 'order', 'presence'],
  header: ['equality', 'text', 'order', 'presence'],
  record: ['equality', 'text'],
  code: ['equality'],
};

type SourceDefinition = {
  values: Values;
  property?: 'path' | 'header';
  /** Error kind of a failure; for days_left that of its expiry, if known (evaluate-all.ts). */
  error_kind: AssertionErrorKind;
};

/** All sources of assertions. A check type lists its sources (`sources` in check-type.ts). */
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
} as const satisfies Record<string, SourceDefinition>;

export type SourceName = keyof typeof SOURCES;
export const SOURCE_NAMES = namesOf(SOURCES);

export const sourceOf = (name: SourceName): SourceDefinition => SOURCES[name];

export const operatorsFor = (name: SourceName): Operator[] => operatorsOf(GROUPS[SOURCES[name].values]);
