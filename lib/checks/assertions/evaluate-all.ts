import { setImmediate as othersTurn } from 'node:timers/promises';
import { shorten } from '#lib/platform/text.ts';
import type { Assertion } from './assertion.ts';
import { lookedAt, readJson, type Unreadable } from './body.ts';
import type { AssertionResults } from './evaluate.ts';
import { tooSoon } from './expiry.ts';
import { isFound } from './expressions.ts';
import { kindOf, MAX_SHOWN } from './json-document.ts';
import { type Observation, observationOf, type ProbeFacts } from './observation.ts';
import { holds, OPERATORS, type Scalar, type Subject, takesExpression } from './operators.ts';
import { type AssertionErrorKind, sourceOf } from './sources.ts';

/**
 * Stands for the latency of a run in texts that are stored, so that runs which differ in nothing else share one text;
 * whoever shows a result fills it in.
 */
const LATENCY = '{latency_ms}';

/** Why an assertion does not hold, as a sentence. Pure. */
export function complaintOf(assertion: Assertion, reading: Observation, { body, expiry }: ProbeFacts): string {
  const { source, property, operator, value } = assertion;
  if (reading.missing !== undefined) return reading.missing;
  const isLeast = operator === 'at_least' || operator === 'greater_than';
  if (source === 'days_left' && isLeast && expiry && !('problem' in expiry)) {
    return tooSoon(expiry, Number(value) + (operator === 'at_least' ? 0 : 1));
  }
  const { wanted, found } = notesOf(assertion, reading);
  const what = [source, property].filter(Boolean).join(' ');
  const how = `${OPERATORS[operator].words}${wantedText(assertion)}${wanted}`;
  if (source === 'body' && body && !('problem' in body)) return `expected body ${how} (${lookedAt(body, assertion)})`;
  const actual = source === 'latency_ms' ? LATENCY : reading.actual;
  return `expected ${what} ${how}, got ${actual}${found}`;
}

/** What stands without quotes: it is no text of anybody. */
const BARE = new Set(['status_code', 'rcode']);

function wantedText({ source, value }: Assertion): string {
  if (value === undefined) return '';
  const one = (scalar: Scalar): string =>
    typeof scalar === 'string' && !BARE.has(source)
      ? JSON.stringify(shorten(scalar, MAX_SHOWN))
      : shorten(String(scalar), MAX_SHOWN);
  return ` ${Array.isArray(value) ? shorten(value.map(one).join(', '), MAX_SHOWN) : one(value)}`;
}

/** Of what kind the two are, where that is the matter: `"200" (text)`, `200 (a number)`. */
function notesOf(
  { source, operator, value }: Assertion,
  { kind, subjects }: Observation,
): { wanted: string; found: string } {
  const { group } = OPERATORS[operator];
  if (source === 'header') {
    const isMatter = group === 'order' && subjects[0]?.number === undefined;
    return { wanted: '', found: isMatter ? ' (not a number)' : '' };
  }
  if (kind === undefined) return { wanted: '', found: '' };
  const kinds = group === 'equality' ? [value].flat().map(kindOf) : [group === 'text' ? 'text' : 'a number'];
  if (group === 'presence' || kinds.includes(kind)) return { wanted: '', found: '' };
  const own = group === 'equality' && !Array.isArray(value) ? noteOf(kinds[0]!) : '';
  return { wanted: own, found: noteOf(kind) };
}

const noteOf = (kind: string): string => (kind === '' ? '' : ` (${kind})`);

/** A body of more takes a turn of the event loop for each assertion about it, and is judged alone. */
const LARGE_BYTES = 64 * 1024;

/** `judge`: see there. */
export const evaluateAll = (
  assertions: readonly Assertion[],
  facts: ProbeFacts,
  shows: boolean,
): Promise<AssertionResults> =>
  isLarge(assertions, facts)
    ? oneAtATime(() => judgeEach(assertions, facts, shows, othersTurn))
    : judgeEach(assertions, facts, shows, undefined);

/** Whether some of them are about a body, and that is a large one. */
const isLarge = (assertions: readonly Assertion[], { body }: ProbeFacts): boolean =>
  body !== undefined && !('problem' in body) && body.bytes > LARGE_BYTES && assertions.some(isOfBody);

const isOfBody = ({ source }: Assertion): boolean => source === 'body' || source === 'json';

let last: Promise<unknown> = Promise.resolve();

/** What a large body is made into takes many times its memory: of many at once only one is. */
function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const next = last.then(work);
  last = next.catch(() => {});
  return next;
}

/** @param turn waits for the next turn of the event loop, where the body is a large one */
async function judgeEach(
  assertions: readonly Assertion[],
  facts: ProbeFacts,
  shows: boolean,
  turn: (() => Promise<void>) | undefined,
): Promise<AssertionResults> {
  const verdict: AssertionResults = { failures: [], warnings: [], judged: [] };
  const read = jsonOf(assertions, facts, turn);
  const json = read instanceof Promise ? await read : read;
  for (const assertion of assertions) {
    const reading = observationOf(assertion, facts, json);
    const matched = reading && takesExpression(assertion.operator) ? await matches(assertion, reading) : [];
    const message = reading && complaint(assertion, reading, facts, matched);
    if (shows) {
      const actual = reading && 'actual' in reading ? reading.actual : null;
      verdict.judged.push({ ...assertion, passed: message === undefined, actual });
    }
    if (message !== undefined) {
      const list = assertion.severity === 'fail' ? verdict.failures : verdict.warnings;
      list.push({ kind: kindOfComplaint(assertion, facts), message });
    }
    if (turn && isOfBody(assertion)) await turn();
  }
  return verdict;
}

/** At once where it is small: to wait for nothing takes its time. */
function jsonOf(assertions: readonly Assertion[], { body }: ProbeFacts, turn: (() => Promise<void>) | undefined) {
  if (!body || 'problem' in body) return body;
  return assertions.some(({ source }) => source === 'json') ? readJson(body, turn) : undefined;
}

/** Of an assertion with an expression: whether it is found in each of what was read. */
async function matches({ value }: Assertion, reading: Observation | Unreadable): Promise<boolean[]> {
  const found: boolean[] = [];
  if ('problem' in reading) return found;
  for (const { text } of reading.subjects) found.push(text ? await isFound(String(value), text.begin) : false);
  return found;
}

/** Why it does not hold; undefined when it does. What cannot be read holds of nothing. */
function complaint(
  assertion: Assertion,
  reading: Observation | Unreadable,
  facts: ProbeFacts,
  matched: readonly boolean[],
): string | undefined {
  if ('problem' in reading) return reading.problem;
  const { operator, value } = assertion;
  const isOf = (subject: Subject, i: number) => holds(operator, value, subject, matched[i] ?? false);
  const isTrue = reading.every ? reading.subjects.every(isOf) : reading.subjects.some(isOf);
  return isTrue ? undefined : complaintOf(assertion, reading, facts);
}

function kindOfComplaint({ source }: Assertion, { expiry }: ProbeFacts): AssertionErrorKind {
  if (source === 'days_left' && expiry && !('problem' in expiry)) return expiry.error_kind;
  return sourceOf(source).error_kind;
}
