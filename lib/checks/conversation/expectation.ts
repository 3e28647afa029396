import { expressionOf, SEARCHED } from '#lib/checks/assertions/expressions.ts';
import type { Redact } from '#lib/platform/secrets/redact-secrets.ts';
import { shorten } from '#lib/platform/text.ts';

/** What is looked for in what a peer says. */
export type Expectation = {
  /** For messages: `to contain "STARTTLS"`. */
  wanted: string;
  /** So many bytes are looked at. */
  most: number;
  /**
   * Where that ends which is looked for; -1 while it has not come.
   * @param looked so many of these bytes were looked at before
   */
  find(said: Buffer, looked: number): number;
  /** Whether the answer is complete, so that it will not come any more. Without it nobody knows. */
  isOver?(said: Buffer): boolean;
};

/** So much of an answer is read for one step. */
export const STEP_BYTES = 64 * 1024;

/** How text is written: as UTF-8, or a character a byte. */
type Encoding = 'utf8' | 'latin1';

/** A text, to the letter. */
export function containing(text: string, encoding: Encoding): Expectation {
  const wanted = Buffer.from(text, encoding);
  return {
    wanted: `to contain ${JSON.stringify(text)}`,
    most: STEP_BYTES,
    find: (said, looked) => {
      const at = said.indexOf(wanted, Math.max(0, looked - wanted.length + 1));
      return at < 0 ? -1 : at + wanted.length;
    },
  };
}

/** An RE2 expression, anywhere; each byte is a character. It was accepted before. */
export async function matching(text: string, encoding: Encoding): Promise<Expectation> {
  const expression = await expressionOf(text);
  return {
    wanted: `to match ${JSON.stringify(text)}`,
    most: SEARCHED,
    find: (said) => expression.endIn(said.toString(encoding)),
  };
}

/** Of what a peer said, so much is searched for secrets before it is cut. */
const SEARCHED_BYTES = 1_000;

/** Bytes as a message shows them, without secrets and control characters, and cut: `"250-PIPELINING…"`. */
export function quoted(
  said: Buffer,
  hide: Redact,
  { most = 100, encoding = 'latin1' }: { most?: number; encoding?: Encoding } = {},
): string {
  const begin = said.toString(encoding, 0, SEARCHED_BYTES);
  const text = shorten(hide(begin, said.length > SEARCHED_BYTES), most);
  // JSON leaves these as they are; a terminal may take them for commands.
  return JSON.stringify(text).replace(/[\u007f-\u009f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
}

/** `1 byte`, `64 bytes`. */
export const bytesOf = (count: number): string => `${count} ${count === 1 ? 'byte' : 'bytes'}`;

/**
 * What a peer may repeat of a text that it was sent, and others should not read: its words but for those in capitals
 * alone, which are commands (`AUTH PLAIN AGFubgBo`).
 */
export const secretsOfSent = (text: string): string[] =>
  text.split(/[^\u0021-\u007e\u00a1-\u00ff]+/).filter((word) => word !== '' && !/^[A-Z]+$/.test(word));
