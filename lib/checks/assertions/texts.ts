import { shorten } from '#lib/platform/text.ts';
import type { Assertion } from './assertion.ts';
import { tooSoon } from './expiry.ts';
import type { Facts } from './facts.ts';
import { kindOf, MOST_SHOWN } from './json-document.ts';
import { OPERATORS, type Scalar } from './operators.ts';
import { lookedAt } from './read-body.ts';
import type { Reading } from './reading.ts';

/**
 * Stands for the latency of a run in texts that are stored, so that runs which differ in nothing else share one text;
 * whoever shows a result fills it in.
 */
const LATENCY = '{latency_ms}';

/** Why an assertion does not hold, as a sentence. Pure. */
export function complaintOf(assertion: Assertion, reading: Reading, { body, expiry }: Facts): string {
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
      ? JSON.stringify(shorten(scalar, MOST_SHOWN))
      : shorten(String(scalar), MOST_SHOWN);
  return ` ${Array.isArray(value) ? shorten(value.map(one).join(', '), MOST_SHOWN) : one(value)}`;
}

/** Of what kind the two are, where that is the matter: `"200" (text)`, `200 (a number)`. */
function notesOf(
  { source, operator, value }: Assertion,
  { kind, subjects }: Reading,
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
