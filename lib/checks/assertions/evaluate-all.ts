import type { TenantCpu } from '#lib/platform/sharing/cpu-budget.ts';
import { shorten } from '#lib/platform/text.ts';
import { type Assertion, pathOf } from './assertion.ts';
import { examinedText, readJson, type Unreadable } from './body.ts';
import type { AssertionResults, EvaluationOptions } from './evaluate.ts';
import { tooSoonText } from './expiry.ts';
import { areMatches, type SearchInput } from './expressions.ts';
import { kindOf, MAX_SHOWN } from './json-document.ts';
import { type Observation, observationOf, type ProbeFacts } from './observation.ts';
import { holds, OPERATORS, type Scalar, type Subject, takesExpression } from './operators.ts';
import { type AssertionErrorKind, sourceOf } from './sources.ts';

/** Placeholder for the latency, filled in on reading: stored texts that differ only in their latency are then equal. */
const LATENCY = '{latency_ms}';

/** Returns the message of an assertion that is not met. Pure. */
function unmetMessage(assertion: Assertion, observation: Observation, { body, expiry }: ProbeFacts): string {
  const { source, property, operator, value } = assertion;
  if (observation.missing !== undefined) return observation.missing;
  const isMinimum = operator === 'at_least' || operator === 'greater_than';
  if (source === 'days_left' && isMinimum && expiry && !('problem' in expiry)) {
    return tooSoonText(expiry, Number(value) + (operator === 'at_least' ? 0 : 1));
  }
  const { expected, found } = notesOf(assertion, observation);
  const what = [source, property].filter(Boolean).join(' ');
  const how = `${OPERATORS[operator].words}${expectedText(assertion)}${expected}`;
  if (source === 'body' && body && !('problem' in body))
    return `expected body ${how} (${examinedText(body, assertion)})`;
  const actual = source === 'latency_ms' ? LATENCY : observation.actual;
  return `expected ${what} ${how}, got ${actual}${found}`;
}

/** Sources whose values are shown without quotes, because they are not free text. */
const UNQUOTED = new Set(['status_code', 'rcode']);

function expectedText({ source, value }: Assertion): string {
  if (value === undefined) return '';
  const format = (scalar: Scalar): string =>
    typeof scalar === 'string' && !UNQUOTED.has(source)
      ? JSON.stringify(shorten(scalar, MAX_SHOWN))
      : shorten(String(scalar), MAX_SHOWN);
  return ` ${Array.isArray(value) ? shorten(value.map(format).join(', '), MAX_SHOWN) : format(value)}`;
}

/** Returns the kinds of the expected and the found value if they differ: `"200" (text)`, `200 (a number)`. */
function notesOf(
  { source, operator, value }: Assertion,
  { kind, subjects }: Observation,
): { expected: string; found: string } {
  const { group } = OPERATORS[operator];
  if (source === 'header') {
    const isNotNumeric = group === 'order' && subjects[0]?.number === undefined;
    return { expected: '', found: isNotNumeric ? ' (not a number)' : '' };
  }
  if (kind === undefined) return { expected: '', found: '' };
  const kinds = group === 'equality' ? [value].flat().map(kindOf) : [group === 'text' ? 'text' : 'a number'];
  if (group === 'presence' || kinds.includes(kind)) return { expected: '', found: '' };
  const expected = group === 'equality' && !Array.isArray(value) ? noteOf(kinds[0]!) : '';
  return { expected, found: noteOf(kind) };
}

const noteOf = (kind: string): string => (kind === '' ? '' : ` (${kind})`);

/** Implements `evaluateAssertions`. */
export async function evaluateAll(
  assertions: readonly Assertion[],
  facts: ProbeFacts,
  { cpu, withDetails = false }: EvaluationOptions,
): Promise<AssertionResults> {
  const results: AssertionResults = { failures: [], warnings: [], evaluated: [] };
  const json = await jsonValues(assertions, facts, cpu);
  const observations = assertions.map((assertion) => observationOf(assertion, facts, json?.(assertion)));
  const searches = assertions.map((assertion, i) => searchesOf(assertion, observations[i]));
  const matched = await areMatches(cpu, searches.flat());
  for (const [i, assertion] of assertions.entries()) {
    const observation = observations[i];
    const own = matched.splice(0, searches[i]!.length);
    const message = observation && failureMessage(assertion, observation, facts, own);
    if (withDetails) {
      const actual = observation && 'actual' in observation ? observation.actual : null;
      results.evaluated.push({ ...assertion, passed: message === undefined, actual });
    }
    if (message !== undefined) {
      const list = assertion.severity === 'fail' ? results.failures : results.warnings;
      list.push({ kind: errorKindOf(assertion, facts), message });
    }
  }
  return results;
}

/** Returns a function that returns the value for an assertion on JSON; undefined without such assertions or a body. */
async function jsonValues(assertions: readonly Assertion[], { body }: ProbeFacts, cpu: TenantCpu) {
  const onJson = assertions.filter(({ source }) => source === 'json');
  if (onJson.length === 0 || !body) return undefined;
  const paths = onJson.map(({ property = '' }) => pathOf(property));
  const found = 'problem' in body ? body : await readJson(body, paths, cpu);
  return (assertion: Assertion) => ('problem' in found ? found : found[onJson.indexOf(assertion)]);
}

function searchesOf({ operator, value }: Assertion, observation: Observation | Unreadable | undefined): SearchInput[] {
  if (!observation || 'problem' in observation || !takesExpression(operator)) return [];
  return observation.subjects.map(({ text }) => ({ expression: String(value), text: text?.begin ?? '' }));
}

/** Returns why an assertion is not met; undefined if it is. One on a value that cannot be read is never met. */
function failureMessage(
  assertion: Assertion,
  observation: Observation | Unreadable,
  facts: ProbeFacts,
  matched: readonly boolean[],
): string | undefined {
  if ('problem' in observation) return observation.problem;
  const { operator, value } = assertion;
  const isMet = (subject: Subject, i: number) => holds(operator, value, subject, matched[i] ?? false);
  const isPassed = observation.every ? observation.subjects.every(isMet) : observation.subjects.some(isMet);
  return isPassed ? undefined : unmetMessage(assertion, observation, facts);
}

function errorKindOf({ source }: Assertion, { expiry }: ProbeFacts): AssertionErrorKind {
  if (source === 'days_left' && expiry && !('problem' in expiry)) return expiry.error_kind;
  return sourceOf(source).error_kind;
}
