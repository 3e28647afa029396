import type * as z from 'zod';
import { AppError, type ErrorDetail, invalid } from '#lib/platform/errors.ts';
import { memberOf, withoutNulls } from '#lib/platform/plain-data.ts';
import { shorten } from '#lib/platform/text.ts';
import { closestName } from './closest-name.ts';
import { commonRequired, unknownProperties, unknownProperty } from './unknown-properties.ts';

type Primitive = z.core.util.Primitive;

const TYPES: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const SIZES: Record<string, readonly [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  record: ['property', 'properties'],
};

const FORMATS: Record<string, string> = {
  email: 'an e-mail address',
  url: 'a URL',
  datetime: 'an ISO 8601 time',
};

/** Describes what a value must be, without repeating it. Pass it to each parse of user input. */
export const plainErrors: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${TYPES[typeOf(issue)] ?? issue.expected}`;
    case 'invalid_value':
      return choice(issue.values, issue.input);
    case 'invalid_union': {
      const kind = issue.discriminator as string | undefined;
      if (kind === undefined || !issue.options) return 'has none of the accepted forms';
      return choice(issue.options as Primitive[], memberOf(issue.input, kind));
    }
    case 'too_big':
      return bound(issue, 'at most', issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'too_small':
      return bound(issue, 'at least', issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'in another format'}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
      return 'contains an invalid name';
    default:
      return 'is not valid';
  }
};

/** Returns the expected type: `int` for a whole number, even if the input is not a number. */
function typeOf({ expected, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  const { format } = (inst?._zod.def ?? {}) as { format?: string };
  return expected === 'number' && format?.includes('int') ? 'int' : expected;
}

/** Returns the error of a value that is not in `values`, with the one that was probably meant. */
export function choice(values: readonly Primitive[], input: unknown): string {
  const rule = (values.length === 1 ? '' : 'one of ') + values.map(String).join(', ');
  if (input === undefined) return `is required: ${rule}`;
  const near = typeof input === 'string' ? closestName(input, values.map(String)) : undefined;
  return `must be ${rule}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

function bound(issue: { origin?: string }, sizeWords: string, valueWords: string, limit: number | bigint): string {
  const unit = SIZES[issue.origin ?? ''];
  return unit
    ? `must have ${sizeWords} ${limit} ${unit[Number(limit) === 1 ? 0 : 1]}`
    : `must be ${valueWords} ${limit}`;
}

const MAX_DETAILS = 100;
/** Maximum characters of a shown path, longer than any valid name. An unknown name can fill the whole body. */
const MAX_PATH = 500;

/** Parses by a schema. Throws a VALIDATION_ERROR that lists each invalid or unknown property. */
export const parse = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> =>
  validated(schema, value, unknownProperties(schema, value));

/** Parses a body, in which null at the top level means absent except in `nulls`. Ignores `readOnly` properties. */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: Record<string, unknown>,
  readOnly?: ReadonlySet<string>,
  nulls: readonly string[] = [],
): z.output<Schema> {
  return validated(schema, withoutNulls(body, nulls), unknownProperties(schema, body, readOnly));
}

function validated<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  unknowns: ErrorDetail[],
): z.output<Schema> {
  const parsed = schema.safeParse(value, { reportInput: true, error: plainErrors });
  if (parsed.success && unknowns.length === 0) return parsed.data;
  const wrong = parsed.success ? [] : [...detailsOf(parsed.error), ...missingRequired(schema, value, parsed.error)];
  const named = new Set(unknowns.map(({ path }) => path));
  throw refusal([...unknowns, ...wrong.filter(({ path }) => !named.has(path))]);
}

export const validationError = (error: z.ZodError, under: PropertyKey[] = []): AppError =>
  refusal(detailsOf(error, under));

const detailsOf = (error: z.ZodError, under: PropertyKey[] = []): ErrorDetail[] =>
  error.issues.flatMap((issue) => {
    const path = [...under, ...issue.path];
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownProperty([...path, key], []));
    return [{ path: path.join('.'), message: issue.message }];
  });

/** Returns the missing properties that every kind requires: zod checks only the kind if it is missing or wrong. */
function missingRequired(schema: z.ZodType, value: unknown, error: z.ZodError): ErrorDetail[] {
  const [issue] = error.issues;
  if (issue?.code !== 'invalid_union' || issue.path.length > 1 || typeof value !== 'object' || !value) return [];
  const kind = issue.path[0];
  return commonRequired(schema)
    .filter((name) => name !== kind && memberOf(value, name) === undefined)
    .map((path) => ({ path, message: 'is required' }));
}

/** Returns a VALIDATION_ERROR whose message is about the first detail. @param details at least one */
export function refusal(details: ErrorDetail[]): AppError {
  const shown = details.slice(0, MAX_DETAILS).map(({ path, message }) => ({ path: shorten(path, MAX_PATH), message }));
  const [first] = shown;
  const summary = first?.message.startsWith('`') ? first.message : `${first?.path || 'request'}: ${first?.message}`;
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  return new AppError('VALIDATION_ERROR', `${summary}${more}`, { details: shown });
}

/** Throws VALIDATION_ERROR if a PUT changes an identifying property; repeating it is accepted. */
export function assertUnchanged<R extends object>(record: R, patch: { [K in keyof R]?: R[K] | undefined }): void {
  for (const [name, value] of Object.entries(patch)) {
    const present = memberOf(record, name);
    if (value !== undefined && value !== present) throw invalid(name, `cannot be changed; it is ${present}`);
  }
}
