import { hasText } from '#lib/platform/text-finder.ts';
import type { Assertion } from './assertion.ts';
import { SEARCHED } from './expressions.ts';
import { JsonDocument } from './json-document.ts';
import { type Subject, takesExpression } from './operators.ts';

/** Why nothing can be said of something, as a sentence. */
export type Unreadable = { problem: string };

/** A body as a probe found it. What assertions make of it is in read-body.ts. */
export type Body = {
  /** How many bytes of it were read. */
  bytes: number;
  /** Whether it has more than that. */
  isCut: boolean;
  /** Its content-type, without parameters; empty where none is known. */
  type: string;
  /** What was read of it, bytes that are no characters as U+FFFD; undefined where it was only searched. */
  text?: string | undefined;
  /** Of a body that was only searched: which of the texts that were looked for are in it. */
  found?: readonly string[];
};

/** What is to be done with a body: to look for texts in it takes no memory, whatever it is. */
type BodyUse = { searched: string[]; isKept: boolean };

/** What assertions want of the body; undefined: nothing. */
export function bodyUseOf(assertions: readonly Assertion[] = []): BodyUse | undefined {
  const own = assertions.filter(({ source }) => source === 'body' || source === 'json');
  if (own.length === 0) return undefined;
  const isSearch = ({ source, operator }: Assertion) =>
    source === 'body' && (operator === 'contains' || operator === 'not_contains');
  return { searched: own.filter(isSearch).map(({ value }) => String(value)), isKept: !own.every(isSearch) };
}

/** A size for people. */
export const sizeText = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${Math.floor(bytes / (1024 * 1024))} MB`;
};

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
