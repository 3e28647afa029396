import { format, type Schema, Validator } from '@cfworker/json-schema';
import { isDeeper, isObject } from '#lib/mcp/json-rpc.ts';
import type { ErrorDetail } from '#lib/platform/errors.ts';

/**
 * How much work it is to hold arguments against a schema, reckoned before any is done. Every keyword that is looked at
 * for a value counts one, every value that an `enum` or the like holds one more, and every ten pairs that `uniqueItems`
 * compares one.
 */
const MAX_WORK = 20_000;

/** Whether it is more than MAX_WORK; looks no further than that. */
function isTooMuchWork(schema: unknown, value: unknown): boolean {
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
function valuesIn(value: unknown): number {
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

/**
 * The JSON Schema of a tool's arguments, as a tenant registers it. Keywords that can hang us (`pattern`: a regular
 * expression of a stranger; references: loops) or oblige clients to more than we check (`x-mcp-header`) are refused
 * where they stand; a property that merely has such a name is not.
 */

const REFUSED: Record<string, string> = {
  $ref: 'is not possible: write the schema out where it is used',
  $dynamicRef: 'is not possible: write the schema out where it is used',
  $recursiveRef: 'is not possible: write the schema out where it is used',
  pattern: 'is not possible: a regular expression can take for ever; say it in the description, or use enum',
  patternProperties: 'is not possible: a regular expression can take for ever; use properties',
  'x-mcp-header': 'is not possible: this service reads arguments from the call alone',
};

/** Keywords that hold one schema, a list of schemas, or schemas by a name of the tenant's. */
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
/** The table holds 32 levels, and a schema stands five deep in its skill. */
const MAX_DEPTH = 26;
const MAX_SCHEMAS = 200;
const MAX_BYTES = 16 * 1024;
const MAX_VALUES = 1000;
const MAX_ARRAY = 100;
/** Of one schema; who mends so many sees the others then. */
const MAX_COMPLAINTS = 20;

type Path = (string | number)[];
type Complaint = { path: Path; message: string };

/** What is wrong with an inputSchema, each with its path; none when it may be registered. */
export function schemaComplaints(schema: Record<string, unknown>): Complaint[] {
  if (isDeeper(schema, MAX_DEPTH)) return [{ path: [], message: `is nested more than ${MAX_DEPTH} levels deep` }];
  const complaints: Complaint[] = [];
  for (const complaint of complaintsIn(schema, [], { left: MAX_SCHEMAS })) {
    if (complaints.push(complaint) === MAX_COMPLAINTS) break;
  }
  if (schema.type !== 'object') complaints.unshift({ path: ['type'], message: 'must be "object"' });
  if (complaints.length > 0) return complaints;
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_BYTES) {
    return [{ path: [], message: `must have at most ${MAX_BYTES} bytes as JSON` }];
  }
  try {
    validatorOf(schema).validate({});
    return [];
  } catch (error) {
    return [{ path: [], message: `is no JSON Schema: ${(error as Error).message}` }];
  }
}

/** @param budget how many more schemas there may be */
function* complaintsIn(schema: unknown, path: Path, budget: { left: number }): Generator<Complaint> {
  if (budget.left < 0) return;
  budget.left -= 1;
  if (budget.left < 0) {
    yield { path: [], message: `must have at most ${MAX_SCHEMAS} schemas in it` };
  } else if (typeof schema === 'boolean') {
    // Complete in itself.
  } else if (!isObject(schema)) {
    yield { path, message: 'must be a JSON Schema: an object, true or false' };
  } else {
    for (const [keyword, value] of Object.entries(schema)) {
      const here = [...path, keyword];
      const message = complaintOf(keyword, value);
      if (message !== undefined) yield { path: here, message };
      else for (const [at, part] of partsOf(keyword, value)) yield* complaintsIn(part, [...here, ...at], budget);
    }
  }
}

function complaintOf(keyword: string, value: unknown): string | undefined {
  if (Object.hasOwn(REFUSED, keyword)) return REFUSED[keyword];
  if (LIST.has(keyword) && !Array.isArray(value)) return 'must be a list of schemas';
  if (NAMED.has(keyword) && !isObject(value)) return 'must be an object of schemas';
  if (!Object.hasOwn(VALUES, keyword)) return undefined;
  const [isRight, what] = VALUES[keyword]!;
  return isRight(value) ? undefined : `must be ${what}`;
}

const isListOfNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isCount = (value: unknown): boolean => isNumber(value) && Number.isInteger(value) && value >= 0;

const NUMBER: Shape = [isNumber, 'a number'];
const COUNT: Shape = [isCount, 'a whole number of at least 0'];

/** Keywords that hold no schemas, and what they hold: the validator trusts them at each call. */
type Shape = [isRight: (value: unknown) => boolean, what: string];
const VALUES: Record<string, Shape> = {
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

/** The schemas within a keyword, each with its place there. */
function partsOf(keyword: string, value: unknown): [Path, unknown][] {
  if (LIST.has(keyword) || (keyword === 'items' && Array.isArray(value))) {
    return [value].flat().map((part, i) => [[i], part]);
  }
  if (ONE.has(keyword)) return [[[], value]];
  if (NAMED.has(keyword)) return Object.entries(isObject(value) ? value : {}).map(([name, part]) => [[name], part]);
  if (keyword !== 'dependencies' || !isObject(value)) return [];
  // Of draft 7: a schema, or a list of names.
  return Object.entries(value).flatMap(([name, part]): [Path, unknown][] =>
    Array.isArray(part) ? [] : [[[name], part]],
  );
}

// To JSON Schema 2020-12 a format is a remark. The validator checks some by regular expressions that can take for ever.
for (const name of Object.keys(format)) delete format[name];

const validatorOf = (schema: Record<string, unknown>): Validator => {
  const isDraft7 = /draft-07/.test(String(schema.$schema ?? ''));
  // A copy, as the validator marks the schemas it has seen.
  return new Validator(structuredClone(schema) as Schema, isDraft7 ? '7' : '2020-12');
};

/** Errors that only say that something inside is wrong. */
const OUTER = new Set(['properties', 'items', 'prefixItems', 'additionalProperties', 'allOf']);

/** Where and why arguments do not fit a registered schema, as far as the first place; none when they do. */
export function argumentComplaints(schema: Record<string, unknown>, value: unknown): ErrorDetail[] {
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES || valuesIn(value) > MAX_VALUES || hasLongList(value)) {
    return [
      { path: '', message: `are too large: at most ${MAX_BYTES} bytes, ${MAX_VALUES} values, ${MAX_ARRAY} in a list` },
    ];
  }
  if (isTooMuchWork(schema, value)) {
    const message =
      "are too many for the tool's inputSchema: its schemas are held against each value, " +
      `${MAX_WORK} comparisons at most. Send fewer values, or register a simpler schema.`;
    return [{ path: '', message }];
  }
  const { valid, errors } = validatorOf(schema).validate(value);
  if (valid) return [];
  const inner = errors.filter(({ keyword }) => !OUTER.has(keyword));
  return (inner.length > 0 ? inner : errors).map(({ instanceLocation, error }) => ({
    path: instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.'),
    message: error,
  }));
}

/** Whether a list in it is too long. */
const hasLongList = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ((Array.isArray(value) && value.length > MAX_ARRAY) || Object.values(value).some(hasLongList));
