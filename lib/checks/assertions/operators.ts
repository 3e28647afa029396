import { namesOf } from '#lib/platform/plain-data.ts';

/** What an operator asks of a value; which of them a source has follows from its values (sources.ts). */
type Group = 'equality' | 'text' | 'order' | 'presence';

type OperatorRow = {
  group: Group;
  /** As it stands in a sentence: `expected body to contain "ok"`. */
  words: string;
};

/** Every operator. Each `not_` one holds where the one before it does not. */
export const OPERATORS = {
  equals: { group: 'equality', words: 'to equal' },
  not_equals: { group: 'equality', words: 'not to equal' },
  one_of: { group: 'equality', words: 'to be one of' },
  not_one_of: { group: 'equality', words: 'not to be one of' },
  contains: { group: 'text', words: 'to contain' },
  not_contains: { group: 'text', words: 'not to contain' },
  matches: { group: 'text', words: 'to match' },
  not_matches: { group: 'text', words: 'not to match' },
  less_than: { group: 'order', words: 'to be less than' },
  at_most: { group: 'order', words: 'to be at most' },
  at_least: { group: 'order', words: 'to be at least' },
  greater_than: { group: 'order', words: 'to be greater than' },
  exists: { group: 'presence', words: 'to exist' },
  not_exists: { group: 'presence', words: 'not to exist' },
} as const satisfies Record<string, OperatorRow>;

export type Operator = keyof typeof OPERATORS;
export type OperatorGroup = Group;

/** The operators of some groups, in the order of the table. */
export const operatorsOf = (groups: readonly Group[]): Operator[] =>
  namesOf(OPERATORS).filter((name) => groups.includes(OPERATORS[name].group));

/** Operators that take a list of values. */
export const takesList = (operator: Operator): operator is 'one_of' | 'not_one_of' =>
  operator === 'one_of' || operator === 'not_one_of';

/** Operators whose value is an RE2 expression. */
export const takesExpression = (operator: Operator): operator is 'matches' | 'not_matches' =>
  operator === 'matches' || operator === 'not_matches';

/** One value that an assertion names. */
export type Scalar = string | number | boolean | null;

/** What was found, as operators look at it. */
export type Subject = {
  /** Whether there is a value at all. */
  exists: boolean;
  equals(wanted: unknown): boolean;
  /** Absent where it is no number. */
  number?: number;
  /** Absent where it is no text. `begin`: its first 32 KB, in which expressions are looked for. */
  text?: { contains(wanted: string): boolean; begin: string };
};

/**
 * Whether an operator holds of what was found. What is not there equals nothing and contains nothing; what is no number
 * is neither above nor below one. Pure.
 * @param isMatch whether the expression is found in its text, of operators that take one
 */
export function holds(
  operator: Operator,
  value: unknown,
  { exists, equals, number, text }: Subject,
  isMatch: boolean,
): boolean {
  const ordered = (isIt: (found: number, wanted: number) => boolean) =>
    number !== undefined && isIt(number, Number(value));
  switch (operator) {
    case 'equals':
      return equals(value);
    case 'not_equals':
      return !equals(value);
    case 'one_of':
      return [value].flat().some(equals);
    case 'not_one_of':
      return ![value].flat().some(equals);
    case 'contains':
      return text?.contains(String(value)) ?? false;
    case 'not_contains':
      return !(text?.contains(String(value)) ?? false);
    case 'matches':
      return text !== undefined && isMatch;
    case 'not_matches':
      return text === undefined || !isMatch;
    case 'less_than':
      return ordered((found, wanted) => found < wanted);
    case 'at_most':
      return ordered((found, wanted) => found <= wanted);
    case 'at_least':
      return ordered((found, wanted) => found >= wanted);
    case 'greater_than':
      return ordered((found, wanted) => found > wanted);
    case 'exists':
      return exists;
    case 'not_exists':
      return !exists;
  }
}
