import { RE2JS, RE2JSException, RE2Set } from 're2js';

/**
 * The one file that loads the library, 150 KB of it: import it late, as expressions.ts does. RE2 takes time in
 * proportion to the text whatever the expression is, which the expressions of node do not.
 */

/** Instructions of a compiled expression: each costs up to 0.5 ms for 32 KB of text, so that a search takes 40 ms. */
const MAX_INSTRUCTIONS = 80;

/**
 * Bytes of the automaton that is made of an expression while a text is searched. What needs more goes on without it.
 * The library's own 8 MB take longer to fill than the search would without any, and each expression would keep them.
 */
const AUTOMATON_BYTES = 64 * 1024;

/** An expression, compiled. */
export type Expression = {
  /** Whether it is found anywhere in a text. */
  isIn(text: string): boolean;
  /** Where it first ends in a text; -1 where it is not found. */
  endIn(text: string): number;
};

/** Compiles an expression; of one that cannot be used it says why, as a sentence without its subject. */
export function compile(text: string): Expression | { problem: string } {
  try {
    const compiled = RE2JS.compile(text);
    const size = compiled.programSize();
    if (size > MAX_INSTRUCTIONS) {
      return { problem: `is too large: it has ${size} instructions, ${MAX_INSTRUCTIONS} are possible` };
    }
    // A set of one: of sets alone the library says how large their automaton may be.
    const set = new RE2Set(RE2Set.UNANCHORED, 0, AUTOMATON_BYTES);
    set.add(text);
    set.compile();
    return {
      isIn: (searched) => set.match(searched).length > 0,
      endIn: (searched) => {
        const match = compiled.matcher(searched);
        return match.find() ? match.end() : -1;
      },
    };
  } catch (error) {
    if (error instanceof RE2JSException) return { problem: problemOf(text, error.message) };
    throw error;
  }
}

/** What others know and RE2 does not. */
const NOT_HERE: readonly (readonly [RegExp, string])[] = [
  [/\(\?<?[=!]/, 'look-ahead and look-behind are not possible here; write what must be there, or a second assertion'],
  [/\\[1-9]|\\k[<{']/, 'back references are not possible here'],
  [/\(\?>|[*+?}]\+/, 'possessive and atomic groups are not possible here, nor needed: RE2 does not go back'],
];

function problemOf(text: string, message: string): string {
  const known = NOT_HERE.find(([form]) => form.test(text));
  return known?.[1] ?? `is no RE2 expression (${message})`;
}
