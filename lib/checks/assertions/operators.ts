import { namesOf } from '#lib/platform/plain-data.ts';

type Group = 'equality' | 'text' | 'order' | 'presence';

type OperatorDefinition = {
  group: Group;
  /** Part of a sentence: `expected body to contain "ok"`. */
  words: string;
};

/** All operators. Each `not_` operator negates the one before it. */
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
} as const satisfies Record<string, OperatorDefinition>;

export type Operator = keyof typeof OPERATORS;
export type OperatorGroup = Group;

/** Returns the operators of groups, in the order of the table. */
export const operatorsOf = (groups: readonly Group[]): Operator[] =>
  namesOf(OPERATORS).filter((name) => groups.includes(OPERATORS[name].group));

/** Whether an operator takes a list of values. */
export const takesList = (operator: Operator): operator is 'one_of' | 'not_one_of' =>
  operator === 'one_of' || operator === 'not_one_of';

/** Whether an operator takes an RE2 expression. */
export const takesExpression = (operator: Operator): operator is 'matches' | 'not_matches' =>
  operator === 'matches' || operator === 'not_matches';

export type Scalar = string | number | boolean | null;

/** An observed value as seen by operators. */
export type Subject = {
  exists: boolean;
  equals(expected: unknown): boolean;
  number?: number;
  /** Absent if it is not text. `begin`: first 32 KB, searched with expressions. */
  text?: { contains(expected: string): boolean; begin: string };
};

/**
 * Whether an observed value meets an operator. A missing value equals and contains nothing; a value that is not a
 * number meets no operator of the group `order`. Pure. @param isMatch whether the expression matches, if the operator
 * has one
 */
export function holds(
  operator: Operator,
  value: unknown,
  { exists, equals, number, text }: Subject,
  isMatch: boolean,
): boolean {
  const compare = (isMet: (found: number, expected: number) => boolean) =>
    number !== undefined && isMet(number, Number(value));
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
      return compare((found, expected) => found < expected);
    case 'at_most':
      return compare((found, expected) => found <= expected);
    case 'at_least':
      return compare((found, expected) => found >= expected);
    case 'greater_than':
      return compare((found, expected) => found > expected);
    case 'exists':
      return exists;
    case 'not_exists':
      return !exists;
  }
}
