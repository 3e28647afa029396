import { turnsOf } from '#lib/platform/net/turns.ts';
import type { Assertion } from './assertion.ts';
import type { Unreadable } from './body.ts';
import { isFound } from './expressions.ts';
import { holds, takesExpression } from './operators.ts';
import { type Facts, type Reading, readingsOf } from './reading.ts';
import { type AssertionErrorKind, sourceOf } from './sources.ts';
import { complaintOf } from './texts.ts';

/** An assertion as it was judged. `actual`: what was found, in words; null where there was nothing. */
export type Judged = Assertion & { passed: boolean; actual: string | null };

/** Why an assertion does not hold. */
export type Complaint = { kind: AssertionErrorKind; message: string };

/** What came of all assertions of a check, in their order. */
export type Verdict = { failures: Complaint[]; warnings: Complaint[]; judged: Judged[] };

/** Bytes of a body that are looked at in one turn of the event loop. */
const BYTES_A_TURN = 256 * 1024;

/** Judges each assertion by itself, in their order (docs/CONTRACT.md#assertions). */
export async function judge(assertions: readonly Assertion[] = [], facts: Facts): Promise<Verdict> {
  const verdict: Verdict = { failures: [], warnings: [], judged: [] };
  const turn = turnsOf(BYTES_A_TURN);
  const { body } = facts;
  const large = body && !('problem' in body) ? body.bytes : 0;
  await turn(large);
  const readings = readingsOf(assertions, facts);
  for (const [i, assertion] of assertions.entries()) {
    const reading = readings[i];
    const message = reading && (await complaint(assertion, reading, facts));
    const actual = reading && 'actual' in reading ? reading.actual : null;
    verdict.judged.push({ ...assertion, passed: message === undefined, actual });
    if (message !== undefined) {
      const list = assertion.severity === 'fail' ? verdict.failures : verdict.warnings;
      list.push({ kind: kindOf(assertion, facts), message });
    }
    if (assertion.source === 'body' || assertion.source === 'json') await turn(large);
  }
  return verdict;
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
