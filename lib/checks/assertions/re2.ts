import { RE2JS, RE2JSException, RE2Set } from 're2js';
import type { SearchInput } from './expressions.ts';

// Only this file loads the library (150 KB), so import this file lazily. RE2 takes linear time for all expressions.

/** Maximum instructions of an expression: each costs up to 0.5 ms for 32 KB, so a search takes at most 40 ms. */
const MAX_INSTRUCTIONS = 80;

/** Maximum bytes of the search automaton, per expression. Filling the default of 8 MB takes longer than a search. */
const AUTOMATON_BYTES = 64 * 1024;

type Expression = {
  isIn(text: string): boolean;
  endIn(text: string): number;
};

/** Maximum number of cached expressions; the most recently used ones stay. */
const MAX_CACHED = 500;
const cache = new Map<string, Expression>();

function compiled(text: string): Expression {
  const known = cache.get(text) ?? compile(text);
  if ('problem' in known) throw new Error(`A stored expression ${known.problem}.`);
  cache.delete(text);
  cache.set(text, known);
  if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
  return known;
}

/** Whether a valid expression matches. */
export const isMatch = ({ expression, text }: SearchInput): boolean => compiled(expression).isIn(text);

/** Returns the end of the first match of a valid expression; -1 without a match. */
export const endOfMatch = ({ expression, text }: SearchInput): number => compiled(expression).endIn(text);

/** Returns why an expression cannot be used, for an error; undefined if it can. */
export function problemIn(text: string): string | undefined {
  const result = compile(text);
  return 'problem' in result ? result.problem : undefined;
}

function compile(text: string): Expression | { problem: string } {
  try {
    const compiled = RE2JS.compile(text);
    const size = compiled.programSize();
    if (size > MAX_INSTRUCTIONS) {
      return { problem: `is too large: it has ${size} instructions, and the maximum is ${MAX_INSTRUCTIONS}` };
    }
    // A set of one expression, because only sets have a limit for the automaton.
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

const UNSUPPORTED: readonly (readonly [RegExp, string])[] = [
  [
    /\(\?<?[=!]/,
    'uses look-ahead or look-behind, which is not supported; match the text itself or add a second assertion',
  ],
  [/\\[1-9]|\\k[<{']/, 'uses back references, which are not supported'],
  [
    /\(\?>|[*+?}]\+/,
    'uses possessive quantifiers or atomic groups, which are not supported or needed: RE2 does not backtrack',
  ],
];

function problemOf(text: string, message: string): string {
  const known = UNSUPPORTED.find(([form]) => form.test(text));
  return known?.[1] ?? `is not an RE2 expression (${message})`;
}
