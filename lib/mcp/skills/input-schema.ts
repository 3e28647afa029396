import { format, type Schema, Validator } from '@cfworker/json-schema';
import { isDeeper } from '#lib/mcp/json-rpc.ts';
import type { ErrorDetail } from '#lib/platform/errors.ts';
import { isObject } from '#lib/platform/plain-data.ts';

/** Maximum work of validating arguments: 1 per schema and keyword applied to a value, plus `ownCost`. */
const MAX_WORK = 20_000;
/** Work of `multipleOf` on a number: a remainder takes up to 10 µs if the numbers differ by hundreds of digits. */
const MULTIPLE_WORK = 30;

function isTooMuchWork(schema: unknown, value: unknown): boolean {
  return !charge({ left: MAX_WORK }, schema, value);
}

type Budget = { left: number };

/** Subtracts the work of validating a value from the budget. Returns whether the budget sufficed. */
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

/** Work of a keyword itself; `uniqueItems` costs 1 per ten pairs of values that it compares. */
function ownCost(keyword: string, part: unknown, value: unknown): number {
  if (keyword === 'uniqueItems') return Array.isArray(value) ? (value.length * valuesIn(value)) / 20 : 0;
  if (keyword === 'multipleOf') return typeof value === 'number' ? MULTIPLE_WORK : 0;
  if (['enum', 'const', 'required', 'dependentRequired'].includes(keyword)) return valuesIn(part);
  return 0;
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + valuesIn(part), 1);
}

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

/**
 * Forbidden as keywords, allowed as property names: `pattern` (untrusted regular expressions) and references (loops)
 * can hang the service; `x-mcp-header` has clients repeat arguments in headers, which the service does not validate.
 */
const FORBIDDEN_KEYWORDS: Record<string, string> = {
  $ref: 'is not allowed: repeat the schema instead',
  $dynamicRef: 'is not allowed: repeat the schema instead',
  $recursiveRef: 'is not allowed: repeat the schema instead',
  pattern: 'is not allowed: a regular expression can take exponential time; use the description or enum',
  patternProperties: 'is not allowed: a regular expression can take exponential time; use properties',
  'x-mcp-header': 'is not allowed: arguments are read only from the body of a call',
};

/** Keywords with one schema, with a list of schemas, and with schemas by name. */
const ONE = new Set([
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]);
const LIST = new Set(['prefixItems', 'allOf', 'anyOf', 'oneOf']);
const NAMED = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
/** Maximum depth: the table allows 32 levels, and a schema is five deep in its skill. */
const MAX_DEPTH = 26;
const MAX_SCHEMAS = 200;
/** Maximum size of a schema as JSON, and of arguments. */
const MAX_BYTES = 16 * 1024;
const MAX_VALUES = 1000;
const MAX_ARRAY = 100;
const MAX_ISSUES = 20;

type Path = (string | number)[];
type SchemaIssue = { path: Path; message: string };

export function schemaIssues(schema: Record<string, unknown>): SchemaIssue[] {
  if (isDeeper(schema, MAX_DEPTH)) return [{ path: [], message: `is nested more than ${MAX_DEPTH} levels deep` }];
  const issues: SchemaIssue[] = [];
  for (const issue of issuesIn(schema, [], { left: MAX_SCHEMAS })) {
    if (issues.push(issue) === MAX_ISSUES) break;
  }
  if (schema.type !== 'object') issues.unshift({ path: ['type'], message: 'must be "object"' });
  if (issues.length > 0) return issues;
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_BYTES) {
    return [{ path: [], message: `must have at most ${MAX_BYTES} bytes as JSON` }];
  }
  try {
    validatorOf(schema).validate({});
    return [];
  } catch (error) {
    return [{ path: [], message: `is not a valid JSON Schema: ${(error as Error).message}` }];
  }
}

function* issuesIn(schema: unknown, path: Path, budget: { left: number }): Generator<SchemaIssue> {
  if (budget.left < 0) return;
  budget.left -= 1;
  if (budget.left < 0) {
    yield { path: [], message: `must contain at most ${MAX_SCHEMAS} schemas` };
  } else if (typeof schema === 'boolean') {
    // Always valid.
  } else if (!isObject(schema)) {
    yield { path, message: 'must be a JSON Schema: an object, true or false' };
  } else {
    for (const [keyword, value] of Object.entries(schema)) {
      const here = [...path, keyword];
      const message = issueOf(keyword, value);
      if (message !== undefined) yield { path: here, message };
      else for (const [at, part] of partsOf(keyword, value)) yield* issuesIn(part, [...here, ...at], budget);
    }
  }
}

function issueOf(keyword: string, value: unknown): string | undefined {
  if (Object.hasOwn(FORBIDDEN_KEYWORDS, keyword)) return FORBIDDEN_KEYWORDS[keyword];
  if (LIST.has(keyword) && !Array.isArray(value)) return 'must be a list of schemas';
  if (NAMED.has(keyword) && !isObject(value)) return 'must be an object of schemas';
  if (!Object.hasOwn(VALUE_RULES, keyword)) return undefined;
  const [isValid, description] = VALUE_RULES[keyword]!;
  return isValid(value) ? undefined : `must be ${description}`;
}

const isListOfNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isCount = (value: unknown): boolean => isNumber(value) && Number.isInteger(value) && value >= 0;

const NUMBER: ValueRule = [isNumber, 'a number'];
const COUNT: ValueRule = [isCount, 'a whole number of at least 0'];

/** Rule for the value of a keyword, because the validator does not check it: a predicate and its description. */
type ValueRule = [isValid: (value: unknown) => boolean, description: string];
const VALUE_RULES: Record<string, ValueRule> = {
  type: [
    (value) => [value].flat().length > 0 && [value].flat().every((type) => TYPES.some((one) => one === type)),
    `among ${TYPES.join(', ')}`,
  ],
  enum: [Array.isArray, 'a list of values'],
  required: [isListOfNames, 'a list of property names'],
  dependentRequired: [
    (value) => isObject(value) && Object.values(value).every(isListOfNames),
    'an object of lists of property names',
  ],
  dependencies: [
    (value) => isObject(value) && Object.values(value).every((part) => !Array.isArray(part) || isListOfNames(part)),
    'an object of schemas or lists of property names',
  ],
  multipleOf: [(value) => isNumber(value) && value > 0, 'a number above 0'],
  maximum: NUMBER,
  exclusiveMaximum: NUMBER,
  minimum: NUMBER,
  exclusiveMinimum: NUMBER,
  maxLength: COUNT,
  minLength: COUNT,
  maxItems: COUNT,
  minItems: COUNT,
  maxContains: COUNT,
  minContains: COUNT,
  maxProperties: COUNT,
  minProperties: COUNT,
  uniqueItems: [(value) => typeof value === 'boolean', 'true or false'],
};

function partsOf(keyword: string, value: unknown): [Path, unknown][] {
  if (LIST.has(keyword) || (keyword === 'items' && Array.isArray(value))) {
    return [value].flat().map((part, i) => [[i], part]);
  }
  if (ONE.has(keyword)) return [[[], value]];
  if (NAMED.has(keyword)) return Object.entries(isObject(value) ? value : {}).map(([name, part]) => [[name], part]);
  if (keyword !== 'dependencies' || !isObject(value)) return [];
  // In draft 7: a schema, or a list of names.
  return Object.entries(value).flatMap(([name, part]): [Path, unknown][] =>
    Array.isArray(part) ? [] : [[[name], part]],
  );
}

// A format is an annotation (JSON Schema 2020-12). The validator would check some by regular expressions that can hang.
for (const name of Object.keys(format)) delete format[name];

const validatorOf = (schema: Record<string, unknown>): Validator => {
  const isDraft7 = /draft-07/.test(String(schema.$schema ?? ''));
  // A copy, because the validator marks visited schemas.
  return new Validator(structuredClone(schema) as Schema, isDraft7 ? '7' : '2020-12');
};

/** Keywords whose error only repeats that of an inner schema. */
const OUTER_KEYWORDS = new Set(['properties', 'items', 'prefixItems', 'additionalProperties', 'allOf']);

/** Returns where and why arguments do not match a schema; stops at the first error. Empty if they match. */
export function argumentErrors(schema: Record<string, unknown>, value: unknown): ErrorDetail[] {
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES || valuesIn(value) > MAX_VALUES || hasLongList(value)) {
    const most = `${MAX_BYTES} bytes, ${MAX_VALUES} values, ${MAX_ARRAY} in a list`;
    return [{ path: '', message: `\`arguments\` are too large: at most ${most}` }];
  }
  if (isTooMuchWork(schema, value)) {
    const message =
      "`arguments` exceed the work limit of the tool's inputSchema, " +
      `${MAX_WORK} comparisons. Send fewer values, or register a simpler schema.`;
    return [{ path: '', message }];
  }
  const { valid, errors } = validatorOf(schema).validate(value);
  if (valid) return [];
  const inner = errors.filter(({ keyword }) => !OUTER_KEYWORDS.has(keyword));
  return (inner.length > 0 ? inner : errors).map(({ instanceLocation, error }) => ({
    path: instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.'),
    message: error,
  }));
}

const hasLongList = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ((Array.isArray(value) && value.length > MAX_ARRAY) || Object.values(value).some(hasLongList));
