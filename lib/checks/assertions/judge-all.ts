import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Assertion } from './assertion.ts';
import type { Unreadable } from './body.ts';
import { isFound } from './expressions.ts';
import type { Facts } from './facts.ts';
import type { Verdict } from './judge.ts';
import { holds, takesExpression } from './operators.ts';
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
  const json = await jsonOf(assertions, facts, turn);
  for (const assertion of assertions) {
    const reading = readingOf(assertion, facts, json);
    const message = reading && (await complaint(assertion, reading, facts));
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

async function jsonOf(assertions: readonly Assertion[], { body }: Facts, turn: (() => Promise<void>) | undefined) {
  if (!body || 'problem' in body) return body;
  return assertions.some(({ source }) => source === 'json') ? readJson(body, turn) : undefined;
}

/** Why it does not hold; undefined when it does. What cannot be read holds of nothing. */
async function complaint(
  assertion: Assertion,
  reading: Reading | Unreadable,
  facts: Facts,
): Promise<string | undefined> {
  if ('problem' in reading) return reading.problem;
  const { operator, value } = assertion;
  let some = false;
  let each = true;
  for (const subject of reading.subjects) {
    const isMatch =
      takesExpression(operator) && subject.text ? await isFound(String(value), subject.text.begin) : false;
    if (holds(operator, value, subject, isMatch)) some = true;
    else each = false;
  }
  return (reading.every ? each : some) ? undefined : complaintOf(assertion, reading, facts);
}

function kindOf({ source }: Assertion, { expiry }: Facts): AssertionErrorKind {
  if (source === 'days_left' && expiry && !('problem' in expiry)) return expiry.error_kind;
  return sourceOf(source).error_kind;
}
