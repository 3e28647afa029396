import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Assertion } from './assertion.ts';
import type { Unreadable } from './body.ts';
import { isFound } from './expressions.ts';
import type { Facts } from './facts.ts';
import type { Verdict } from './judge.ts';
import { holds, type Subject, takesExpression } from './operators.ts';
import { readJson } from './read-body.ts';
import { type Reading, readingOf } from './reading.ts';
import { type AssertionErrorKind, sourceOf } from './sources.ts';
import { complaintOf } from './texts.ts';

/** A body of more takes a turn of the event loop for each assertion about it, and is judged alone. */
const LARGE_BYTES = 64 * 1024;

/** `judge`: see there. */
export const judgeAll = (assertions: readonly Assertion[], facts: Facts, shows: boolean): Promise<Verdict> =>
  isLarge(assertions, facts)
    ? oneAtATime(() => judgeEach(assertions, facts, shows, othersTurn))
    : judgeEach(assertions, facts, shows, undefined);

/** Whether some of them are about a body, and that is a large one. */
const isLarge = (assertions: readonly Assertion[], { body }: Facts): boolean =>
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
  facts: Facts,
  shows: boolean,
  turn: (() => Promise<void>) | undefined,
): Promise<Verdict> {
  const verdict: Verdict = { failures: [], warnings: [], judged: [] };
  const read = jsonOf(assertions, facts, turn);
  const json = read instanceof Promise ? await read : read;
  for (const assertion of assertions) {
    const reading = readingOf(assertion, facts, json);
    const matched = reading && takesExpression(assertion.operator) ? await matches(assertion, reading) : [];
    const message = reading && complaint(assertion, reading, facts, matched);
    if (shows) {
      const actual = reading && 'actual' in reading ? reading.actual : null;
      verdict.judged.push({ ...assertion, passed: message === undefined, actual });
    }
    if (message !== undefined) {
      const list = assertion.severity === 'fail' ? verdict.failures : verdict.warnings;
      list.push({ kind: kindOf(assertion, facts), message });
    }
    if (turn && isOfBody(assertion)) await turn();
  }
  return verdict;
}

/** At once where it is small: to wait for nothing takes its time. */
function jsonOf(assertions: readonly Assertion[], { body }: Facts, turn: (() => Promise<void>) | undefined) {
  if (!body || 'problem' in body) return body;
  return assertions.some(({ source }) => source === 'json') ? readJson(body, turn) : undefined;
}

/** Of an assertion with an expression: whether it is found in each of what was read. */
async function matches({ value }: Assertion, reading: Reading | Unreadable): Promise<boolean[]> {
  const found: boolean[] = [];
  if ('problem' in reading) return found;
  for (const { text } of reading.subjects) found.push(text ? await isFound(String(value), text.begin) : false);
  return found;
}

/** Why it does not hold; undefined when it does. What cannot be read holds of nothing. */
function complaint(
  assertion: Assertion,
  reading: Reading | Unreadable,
  facts: Facts,
  matched: readonly boolean[],
): string | undefined {
  if ('problem' in reading) return reading.problem;
  const { operator, value } = assertion;
  const isOf = (subject: Subject, i: number) => holds(operator, value, subject, matched[i] ?? false);
  const isTrue = reading.every ? reading.subjects.every(isOf) : reading.subjects.some(isOf);
  return isTrue ? undefined : complaintOf(assertion, reading, facts);
}

function kindOf({ source }: Assertion, { expiry }: Facts): AssertionErrorKind {
  if (source === 'days_left' && expiry && !('problem' in expiry)) return expiry.error_kind;
  return sourceOf(source).error_kind;
}
