import { statusName } from '#lib/net/http-status.ts';
import { SECRET_RESPONSE_HEADERS } from '#lib/platform/secrets/header-secrets.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { shorten } from '#lib/platform/text.ts';
import { hasText } from '#lib/platform/text-finder.ts';
import { type Assertion, pathOf, type Rcode, statusSubject } from './assertion.ts';
import { type Body, bodySubject, sizeText, type Unreadable } from './body.ts';
import type { Expiry } from './expiry.ts';
import { SEARCHED } from './expressions.ts';
import { type JsonDocument, MAX_SHOWN, previewOf } from './json-document.ts';
import { printPath } from './json-path.ts';
import type { Scalar, Subject } from './operators.ts';

/**
 * What was found for one assertion. `subjects`: it holds of one of them, or of each if `every`. `actual`: in words,
 * null where there is nothing. `missing`: why there is nothing, as a sentence. `kind`: of a JSON value, in words; empty
 * where the value says it.
 */
export type Observation = {
  subjects: Subject[];
  every?: boolean;
  actual: string | null;
  missing?: string;
  kind?: string;
};

/**
 * What an assertion is about, as it was found; undefined where nothing was measured. Pure.
 * @param json the body as JSON, where one of them is about that
 */
export function observationOf(
  { source, property = '' }: Assertion,
  facts: ProbeFacts,
  json: JsonDocument | Unreadable | undefined,
): Observation | Unreadable | undefined {
  switch (source) {
    case 'latency_ms':
      return facts.latency_ms === undefined ? undefined : ofNumber(facts.latency_ms);
    case 'status_code': {
      const status = known(facts.status_code, source);
      return { subjects: [statusSubject(status)], actual: statusName(status) };
    }
    case 'body': {
      const body = known(facts.body, source);
      return 'problem' in body ? body : ofBody(body);
    }
    case 'json': {
      const document = known(json, source);
      return 'problem' in document ? document : ofJson(document, property);
    }
    case 'header':
      return ofHeader(property, known(facts.header, source)(property.toLowerCase()));
    case 'days_left': {
      const expiry = known(facts.expiry, source);
      return 'problem' in expiry ? expiry : ofNumber(expiry.days_left);
    }
    case 'tls_version':
    case 'issuer':
    case 'fingerprint_sha256':
      return ofText(known(facts[source], source));
    case 'rcode': {
      const rcode = known(facts.rcode, source);
      return { subjects: [textSubject(rcode)], actual: rcode };
    }
    case 'record_count':
      return ofNumber(known(facts.records, source).values.length);
    case 'any_record':
    case 'all_records':
      return ofRecords(known(facts.records, source), source === 'all_records');
  }
}

function known<T>(fact: T | undefined, source: string): T {
  if (fact === undefined) throw new Error(`A check has the source ${source}, and its probe says nothing of it.`);
  return fact;
}

const ofNumber = (number: number): Observation => ({
  subjects: [{ exists: true, number, equals: (wanted) => wanted === number }],
  actual: String(number),
});

const ofText = (text: string): Observation => ({ subjects: [textSubject(text)], actual: previewOf(text) });

const textSubject = (found: string): Subject => ({
  exists: true,
  equals: (wanted) => wanted === found,
  text: { contains: (wanted) => hasText(found, wanted), begin: found.slice(0, SEARCHED) },
});

/** A body is never quoted: it may be long, and hold anything. */
const ofBody = (body: Body): Observation => ({ subjects: [bodySubject(body)], actual: sizeText(body.bytes) });

const NOTHING: Subject = { exists: false, equals: () => false };

function ofJson(document: JsonDocument, property: string): Observation {
  const path = pathOf(property);
  const found = document.find(path);
  if (!('value' in found)) {
    const parent = printPath(path.slice(0, found.depth));
    const missing = `json ${property}: there is no such value; ${parent} ${found.content}`;
    return { subjects: [NOTHING], actual: null, missing };
  }
  const { kind, scalar, preview } = found.value;
  return { subjects: [jsonSubject(scalar)], actual: preview, kind };
}

/** @param scalar absent of an object or list, which equals no value that an assertion can name */
const jsonSubject = (scalar: Scalar | undefined): Subject => ({
  exists: true,
  equals: (wanted) => scalar !== undefined && wanted === scalar,
  ...(typeof scalar === 'number' && { number: scalar }),
  ...(typeof scalar === 'string' && { text: textSubject(scalar).text! }),
});

function ofHeader(name: string, value: string | undefined): Observation {
  if (value === undefined)
    return { subjects: [NOTHING], actual: null, missing: `header ${name}: there is no such header` };
  const isNumber = /^\s*[-+]?\d+(\.\d+)?\s*$/.test(value);
  return {
    subjects: [{ ...textSubject(value), ...(isNumber && { number: Number(value) }) }],
    actual: SECRET_RESPONSE_HEADERS.has(name.toLowerCase()) ? REDACTED : previewOf(value),
  };
}

const MAX_RECORDS_SHOWN = 5;

function ofRecords({ values, same, none }: Records, every: boolean): Observation {
  const few = values.slice(0, MAX_RECORDS_SHOWN).join(', ');
  const more = values.length > MAX_RECORDS_SHOWN ? ` and ${values.length - MAX_RECORDS_SHOWN} more` : '';
  return {
    subjects: values.map((record) => ({
      ...textSubject(record),
      equals: (wanted) => typeof wanted === 'string' && same(record, wanted),
    })),
    every,
    actual: values.length === 0 ? none : shorten(few, MAX_SHOWN) + more,
  };
}

/** What a probe found, for each source of its check type. */
export type ProbeFacts = {
  /** Absent where nothing was measured: there is nothing to judge then. */
  latency_ms?: number;
  status_code?: number;
  /** Of `body` and `json`. */
  body?: Body | Unreadable;
  /** The value of a header by its name in lower case; undefined where there is none. */
  header?: (name: string) => string | undefined;
  expiry?: Expiry | Unreadable;
  tls_version?: string;
  issuer?: string;
  fingerprint_sha256?: string;
  records?: Records;
  rcode?: Rcode;
};

/** `same`: whether two records are, as DNS compares them. `none`: how it is told that there are no records. */
type Records = { values: readonly string[]; same(a: string, b: string): boolean; none: string };
