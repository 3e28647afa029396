import { hasText } from '#lib/platform/text-finder.ts';
import type { Assertion } from './assertion.ts';
import { SEARCHED } from './expressions.ts';
import { JsonDocument } from './json-document.ts';
import { takesExpression } from './operators.ts';

/** Why nothing can be said of something, as a sentence. */
export type Unreadable = { problem: string };

/** A body as assertions look at it. */
export type Body = {
  /** How many bytes of it were read. */
  bytes: number;
  /** Whether it has more than that. */
  isCut: boolean;
  /** Its content-type, without parameters; empty where none is known. */
  type: string;
  contains(text: string): boolean;
  equals(text: string): boolean;
  /** Its first 32 KB. */
  begin: string;
  /** Reads it, at each call. @param turn waits for the next turn of the event loop */
  json(turn: () => Promise<void>): Promise<JsonDocument | Unreadable>;
};

type Read = Pick<Body, 'bytes' | 'isCut' | 'type'>;

/** A body that was kept. @param text what was read of it; bytes that are no characters stand as U+FFFD */
export const keptBody = (text: string, read: Read): Body => ({
  ...read,
  contains: (wanted) => hasText(text, wanted),
  equals: (wanted) => !read.isCut && text === wanted,
  begin: text.slice(0, SEARCHED),
  json: (turn) => readJson(text, read, turn),
});

/** A body that was only searched. @param found which of the texts that were looked for are in it */
export const searchedBody = (found: readonly string[], read: Read): Body => ({
  ...read,
  contains: (wanted) => found.includes(wanted),
  equals: () => false,
  begin: '',
  json: async () => ({ problem: 'the body was not kept' }),
});

/** What is to be done with a body: to look for texts in it takes no memory, whatever it is. */
export type BodyUse = { searched: string[]; isKept: boolean };

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

/** How much of a body an operator has seen: `searched 812 bytes`. */
export function lookedAt({ bytes, isCut, begin }: Body, { operator }: Pick<Assertion, 'operator'>): string {
  if (operator === 'equals' || operator === 'not_equals' || operator === 'one_of' || operator === 'not_one_of') {
    return isCut ? `it has more than ${sizeText(bytes)}` : `it has ${sizeText(bytes)}`;
  }
  if (takesExpression(operator) && begin.length === SEARCHED) return 'searched its first 32 KB';
  return isCut ? `searched its first ${sizeText(bytes)}` : `searched ${sizeText(bytes)}`;
}

async function readJson(
  text: string,
  { bytes, isCut, type }: Read,
  turn: () => Promise<void>,
): Promise<JsonDocument | Unreadable> {
  if (isCut) return { problem: `the body has more than ${sizeText(bytes)}` };
  const document = await JsonDocument.read(text.startsWith('\ufeff') ? text.slice(1) : text, turn);
  return document ?? { problem: `the body is not JSON (${[type, sizeText(bytes)].filter(Boolean).join(', ')})` };
}
