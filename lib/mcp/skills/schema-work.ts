import { isObject } from '#lib/mcp/json-rpc.ts';

/**
 * How much work it is to hold arguments against a schema, reckoned before any is done. Every keyword that is looked at
 * for a value counts one, every value that an `enum` or the like holds one more, and every ten pairs that `uniqueItems`
 * compares one.
 */
export const MAX_WORK = 20_000;

/** Whether it is more than MAX_WORK; looks no further than that. */
export function isTooMuchWork(schema: unknown, value: unknown): boolean {
  return !charge({ left: MAX_WORK }, schema, value);
}

type Budget = { left: number };

/** @returns false once the budget is spent */
function charge(budget: Budget, schema: unknown, value: unknown): boolean {
  budget.left -= 1;
  if (!isObject(schema)) return budget.left >= 0;
  for (const [keyword, part] of Object.entries(schema)) {
    budget.left -= 1 + ownCost(keyword, part, value);
    if (budget.left < 0) return false;
    for (const [inner, each] of pairsOf(keyword, part, value)) {
      if (!charge(budget, inner, each)) return false;
    }
  }
  return true;
}

/** What a keyword costs beside the schemas in it. */
function ownCost(keyword: string, part: unknown, value: unknown): number {
  if (keyword === 'uniqueItems') return Array.isArray(value) ? (value.length * valuesIn(value)) / 20 : 0;
  if (['enum', 'const', 'required', 'dependentRequired'].includes(keyword)) return valuesIn(part);
  return 0;
}

/** How many values there are in one, itself included. */
export function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + valuesIn(part), 1);
}

/** The schemas of a keyword, each with a value that it is held against. */
function* pairsOf(keyword: string, part: unknown, value: unknown): Generator<[schema: unknown, value: unknown]> {
  switch (keyword) {
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      for (const one of Array.isArray(part) ? part : []) yield [one, value];
      return;
    case 'not':
    case 'if':
    case 'then':
    case 'else':
      yield [part, value];
      return;
    case 'dependentSchemas':
    case 'dependencies':
      for (const one of Object.values(part ?? {})) yield [one, value];
      return;
    case 'properties':
      for (const [name, one] of Object.entries(part ?? {})) {
        yield [isObject(value) && Object.hasOwn(value, name) ? one : true, isObject(value) ? value[name] : undefined];
      }
      return;
    case 'propertyNames':
      for (const name of isObject(value) ? Object.keys(value) : []) yield [part, name];
      return;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      for (const each of isObject(value) ? Object.values(value) : []) yield [part, each];
      return;
    case 'prefixItems':
    case 'items':
    case 'contains':
    case 'additionalItems':
    case 'unevaluatedItems':
      for (const [i, each] of Array.isArray(value) ? value.entries() : []) {
        yield [Array.isArray(part) ? part[i] : part, each];
      }
  }
}
