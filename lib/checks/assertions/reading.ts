import { statusName } from '#lib/platform/status.ts';
import { shorten } from '#lib/platform/text.ts';
import { hasText } from '#lib/platform/text-finder.ts';
import { type Assertion, pathOf, type Rcode } from './assertion.ts';
import type { Body, Unreadable } from './body.ts';
import { sizeText } from './body.ts';
import type { Expiry } from './expiry.ts';
import { SEARCHED } from './expressions.ts';
import { printPath, valueAt } from './json-path.ts';
import type { Scalar, Subject } from './operators.ts';
import { MOST_SHOWN, previewOf } from './preview.ts';
import { statusSubject } from './statuses.ts';

/** What a probe found, for each source of its check type. */
export type Facts = {
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
export type Records = { values: readonly string[]; same(a: string, b: string): boolean; none: string };

/**
 * What was found for one assertion. `subjects`: it holds of one of them, or of each if `every`. `actual`: in words, null
 * where there is nothing. `missing`: why there is nothing, as a sentence. `kind`: of a JSON value, in words; empty where
 * the value says it.
 */
export type Reading = {
  subjects: Subject[];
  every?: boolean;
  actual: string | null;
  missing?: string;
  kind?: string;
};

/**
 * What each assertion is about, as it was found; undefined where nothing was measured. A JSON body is parsed once, and
 * what it was made into is not kept: of large ones that is many times their size.
 */
export function readingsOf(assertions: readonly Assertion[], facts: Facts): (Reading | Unreadable | undefined)[] {
  let parsed: ReturnType<Body['json']> | undefined;
  const json = (body: Body) => {
    parsed ??= body.json();
    return parsed;
  };
  return assertions.map((assertion) => readingOf(assertion, facts, json));
}

function readingOf(
  { source, property = '' }: Assertion,
  facts: Facts,
  json: (body: Body) => ReturnType<Body['json']>,
): Reading | Unreadable | undefined {
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
      const body = known(facts.body, source);
      const parsed = 'problem' in body ? body : json(body);
      return 'problem' in parsed ? parsed : ofJson(parsed.value, property);
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

const ofNumber = (number: number): Reading => ({
  subjects: [{ exists: true, number, equals: (wanted) => wanted === number }],
  actual: String(number),
});

const ofText = (text: string): Reading => ({ subjects: [textSubject(text)], actual: previewOf(text) });

const textSubject = (found: string): Subject => ({
  exists: true,
  equals: (wanted) => wanted === found,
  text: { contains: (wanted) => hasText(found, wanted), begin: found.slice(0, SEARCHED) },
});

/** A body is never quoted: it may be long, and hold anything. */
const ofBody = (body: Body): Reading => ({
  subjects: [
    {
      exists: true,
      equals: (wanted) => typeof wanted === 'string' && body.equals(wanted),
      text: { contains: body.contains, begin: body.begin },
    },
  ],
  actual: sizeText(body.bytes),
});

const NOTHING: Subject = { exists: false, equals: () => false };

function ofJson(root: unknown, property: string): Reading {
  const path = pathOf(property);
  const found = valueAt(root, path);
  if (!('value' in found)) {
    const parent = printPath(path.slice(0, found.depth));
    const missing = `json ${property}: there is no such value; ${parent} ${contentOf(found.last)}`;
    return { subjects: [NOTHING], actual: null, missing };
  }
  const { value } = found;
  return { subjects: [jsonSubject(value)], actual: previewOf(value), kind: kindOf(value) };
}

const jsonSubject = (value: unknown): Subject => ({
  exists: true,
  equals: (wanted: Scalar) => wanted === value,
  ...(typeof value === 'number' && { number: value }),
  ...(typeof value === 'string' && { text: textSubject(value).text! }),
});

/** The kind of a JSON value in words; empty where the value says it. */
export function kindOf(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'a number';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : '';
}

/** So many members of an object are named where one is not there. */
const MOST_NAMED = 10;
const LONGEST_NAME = 40;

function contentOf(value: unknown): string {
  if (Array.isArray(value)) return `has ${value.length} ${value.length === 1 ? 'member' : 'members'}`;
  if (typeof value !== 'object' || value === null) return `is ${kindOf(value) || previewOf(value)}`;
  const names: string[] = [];
  for (const name in value) {
    if (names.length === MOST_NAMED) return `has ${names.join(', ')} and more`;
    names.push(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);
  }
  return names.length === 0 ? 'has no members' : `has ${names.join(', ')}`;
}

/** Headers of an answer whose values are shown as asterisks. */
export const SECRET_HEADERS = new Set(['set-cookie', 'authorization']);

function ofHeader(name: string, value: string | undefined): Reading {
  if (value === undefined)
    return { subjects: [NOTHING], actual: null, missing: `header ${name}: there is no such header` };
  const isNumber = /^\s*[-+]?\d+(\.\d+)?\s*$/.test(value);
  return {
    subjects: [{ ...textSubject(value), ...(isNumber && { number: Number(value) }) }],
    actual: SECRET_HEADERS.has(name.toLowerCase()) ? '********' : previewOf(value),
  };
}

const MOST_RECORDS_SHOWN = 5;

function ofRecords({ values, same, none }: Records, every: boolean): Reading {
  const few = values.slice(0, MOST_RECORDS_SHOWN).join(', ');
  const more = values.length > MOST_RECORDS_SHOWN ? ` and ${values.length - MOST_RECORDS_SHOWN} more` : '';
  return {
    subjects: values.map((record) => ({
      ...textSubject(record),
      equals: (wanted) => typeof wanted === 'string' && same(record, wanted),
    })),
    every,
    actual: values.length === 0 ? none : shorten(few, MOST_SHOWN) + more,
  };
}
