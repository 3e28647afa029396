import { hasText } from '#lib/platform/text-finder.ts';
import type { Assertion } from './assertion.ts';
import { type Body, sizeText, type Unreadable } from './body.ts';
import { SEARCHED } from './expressions.ts';
import { JsonDocument } from './json-document.ts';
import { type Subject, takesExpression } from './operators.ts';

/** A body as operators look at it. */
export const bodySubject = ({ text = '', found, isCut }: Body): Subject => ({
  exists: true,
  equals: (wanted) => !isCut && text === wanted,
  text: {
    contains: (wanted) => (found ? found.includes(wanted) : hasText(text, wanted)),
    begin: text.slice(0, SEARCHED),
  },
});

/** How much of a body an operator has seen: `searched 812 bytes`. */
export function lookedAt({ bytes, isCut, text = '' }: Body, { operator }: Pick<Assertion, 'operator'>): string {
  if (operator === 'equals' || operator === 'not_equals' || operator === 'one_of' || operator === 'not_one_of') {
    return isCut ? `it has more than ${sizeText(bytes)}` : `it has ${sizeText(bytes)}`;
  }
  if (takesExpression(operator) && text.length > SEARCHED) return 'searched its first 32 KB';
  return isCut ? `searched its first ${sizeText(bytes)}` : `searched ${sizeText(bytes)}`;
}

/** A body as JSON. @param turn waits for the next turn of the event loop, where it is a large one */
export function readJson(
  { text = '', bytes, isCut, type }: Body,
  turn: (() => Promise<void>) | undefined,
): JsonDocument | Unreadable | Promise<JsonDocument | Unreadable> {
  if (isCut) return { problem: `the body has more than ${sizeText(bytes)}` };
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  const orNone = (document: JsonDocument | undefined) =>
    document ?? { problem: `the body is not JSON (${[type, sizeText(bytes)].filter(Boolean).join(', ')})` };
  return turn ? JsonDocument.scan(json, turn).then(orNone) : orNone(JsonDocument.parse(json));
}
