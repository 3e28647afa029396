import { expressionOf, SEARCHED } from '#lib/checks/assertions/expressions.ts';

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
export type Encoding = 'utf8' | 'latin1';

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
