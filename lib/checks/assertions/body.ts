import type { Assertion } from './assertion.ts';

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
