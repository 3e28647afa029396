import { statusName } from '#lib/net/http-status.ts';
import { SECRET_RESPONSE_HEADERS } from '#lib/platform/secrets/header-secrets.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { shorten } from '#lib/platform/text.ts';
import { hasText } from '#lib/platform/text-finder.ts';
import { type Assertion, pathOf, type Rcode, statusSubject } from './assertion.ts';
import { type Body, bodySubject, sizeText, type Unreadable } from './body.ts';
import type { Expiry } from './expiry.ts';
import { MAX_SEARCHED } from './expressions.ts';
import { type JsonFound, MAX_SHOWN, previewOf } from './json-document.ts';
import { printPath } from './json-path.ts';
import type { Scalar, Subject } from './operators.ts';

/**
 * Observed value of an assertion. One of `subjects` must meet it, or each if `every` is true. `actual`: value as text,
 * null if missing. `missing`: reason. `kind`: readable kind of a JSON value; empty if the value itself shows it.
 */
export type Observation = {
  subjects: Subject[];
  every?: boolean;
  actual: string | null;
  missing?: string;
  kind?: string;
};

/** Returns the observed value; undefined if no latency was measured. Pure. @param json value at the path, if needed */
export function observationOf(
  { source, property = '' }: Assertion,
  facts: ProbeFacts,
  json: JsonFound | Unreadable | undefined,
): Observation | Unreadable | undefined {
  switch (source) {
    case 'latency_ms':
      return facts.latency_ms === undefined ? undefined : observeNumber(facts.latency_ms);
    case 'status_code': {
      const status = requireFact(facts.status_code, source);
      return { subjects: [statusSubject(status)], actual: statusName(status) };
    }
    case 'body': {
      const body = requireFact(facts.body, source);
      return 'problem' in body ? body : observeBody(body);
    }
    case 'json': {
      const found = requireFact(json, source);
      return 'problem' in found ? found : observeJson(found, property);
    }
    case 'header':
      return observeHeader(property, requireFact(facts.header, source)(property.toLowerCase()));
    case 'days_left': {
      const expiry = requireFact(facts.expiry, source);
      return 'problem' in expiry ? expiry : observeNumber(expiry.days_left);
    }
    case 'tls_version':
    case 'issuer':
    case 'fingerprint_sha256':
      return observeText(requireFact(facts[source], source));
    case 'rcode': {
      const rcode = requireFact(facts.rcode, source);
      return { subjects: [textSubject(rcode)], actual: rcode };
    }
    case 'record_count':
      return observeNumber(requireFact(facts.records, source).values.length);
    case 'any_record':
    case 'all_records':
      return observeRecords(requireFact(facts.records, source), source === 'all_records');
  }
}

function requireFact<T>(fact: T | undefined, source: string): T {
  if (fact === undefined) throw new Error(`The probe returned no fact for the source ${source}.`);
  return fact;
}

const observeNumber = (number: number): Observation => ({
  subjects: [{ exists: true, number, equals: (expected) => expected === number }],
  actual: String(number),
});

const observeText = (text: string): Observation => ({ subjects: [textSubject(text)], actual: previewOf(text) });

const textSubject = (found: string): Subject => ({
  exists: true,
  equals: (expected) => expected === found,
  text: { contains: (expected) => hasText(found, expected), begin: found.slice(0, MAX_SEARCHED) },
});

/** Shows only the size of a body, because the body can be long and contain anything. */
const observeBody = (body: Body): Observation => ({ subjects: [bodySubject(body)], actual: sizeText(body.bytes) });

const NOTHING: Subject = { exists: false, equals: () => false };

function observeJson(found: JsonFound, property: string): Observation {
  if (!('value' in found)) {
    const parent = printPath(pathOf(property).slice(0, found.depth));
    const missing = `json ${property} does not exist; ${parent} ${found.content}`;
    return { subjects: [NOTHING], actual: null, missing };
  }
  const { kind, scalar, preview } = found.value;
  return { subjects: [jsonSubject(scalar)], actual: preview, kind };
}

/** @param scalar absent for an object or list, which equals no value of an assertion */
const jsonSubject = (scalar: Scalar | undefined): Subject => ({
  exists: true,
  equals: (expected) => scalar !== undefined && expected === scalar,
  ...(typeof scalar === 'number' && { number: scalar }),
  ...(typeof scalar === 'string' && { text: textSubject(scalar).text! }),
});

function observeHeader(name: string, value: string | undefined): Observation {
  if (value === undefined) return { subjects: [NOTHING], actual: null, missing: `header ${name} does not exist` };
  const isNumber = /^\s*[-+]?\d+(\.\d+)?\s*$/.test(value);
  return {
    subjects: [{ ...textSubject(value), ...(isNumber && { number: Number(value) }) }],
    actual: SECRET_RESPONSE_HEADERS.has(name.toLowerCase()) ? REDACTED : previewOf(value),
  };
}

const MAX_RECORDS_SHOWN = 5;

function observeRecords({ values, same, none }: Records, every: boolean): Observation {
  const few = values.slice(0, MAX_RECORDS_SHOWN).join(', ');
  const more = values.length > MAX_RECORDS_SHOWN ? ` and ${values.length - MAX_RECORDS_SHOWN} more` : '';
  return {
    subjects: values.map((record) => ({
      ...textSubject(record),
      equals: (expected) => typeof expected === 'string' && same(record, expected),
    })),
    every,
    actual: values.length === 0 ? none : shorten(few, MAX_SHOWN) + more,
  };
}

/** Facts that a probe found. Each source that the assertions use requires its fact, except latency_ms. */
export type ProbeFacts = {
  /** Absent if it was not measured; assertions on it then pass. */
  latency_ms?: number;
  status_code?: number;
  body?: Body | Unreadable;
  /** Returns the value of a header by lower-case name; undefined if it is missing. */
  header?: (name: string) => string | undefined;
  expiry?: Expiry | Unreadable;
  tls_version?: string;
  issuer?: string;
  fingerprint_sha256?: string;
  records?: Records;
  rcode?: Rcode;
};

/** Found DNS records. `same`: whether two are equal by the rules of DNS. `none`: text if there are no records. */
type Records = { values: readonly string[]; same(a: string, b: string): boolean; none: string };
