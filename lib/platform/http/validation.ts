import type * as z from 'zod';
import { AppError, type ErrorDetail, invalid } from '#lib/platform/errors.ts';
import { memberOf, withoutNulls } from '#lib/platform/plain-data.ts';
import { shorten } from '#lib/platform/text.ts';
import { requiredAnyway, unknown, unknownMembers } from './unknown-members.ts';

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

const SIZES: Record<string, string> = { string: 'characters', array: 'members', record: 'members' };

const FORMATS: Record<string, string> = {
  email: 'an e-mail address',
  url: 'a URL',
  datetime: 'an ISO 8601 time',
};

/**
 * What a schema says where it has no words of its own: what must be, in plain words, and nothing of what came. To be
 * given to each parse of what people send or set.
 */
export const plainErrors: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${TYPES[typeOf(issue)] ?? issue.expected}`;
    case 'invalid_value':
      return choice(issue.values, issue.input);
    case 'invalid_union': {
      const kind = issue.discriminator as string | undefined;
      if (kind === undefined || !issue.options) return 'has none of the possible forms';
      return choice(issue.options as Primitive[], memberOf(issue.input, kind));
    }
    case 'too_big':
      return bound(issue, 'at most', issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'too_small':
      return bound(issue, 'at least', issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'of another form'}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
      return 'holds a name that is not possible';
    default:
      return 'is not possible';
  }
};

/** A whole number says what it is also to what is no number at all. */
function typeOf({ expected, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  const { format } = (inst?._zod.def ?? {}) as { format?: string };
  return expected === 'number' && format?.includes('int') ? 'int' : expected;
}

function choice(values: readonly Primitive[], input: unknown): string {
  const rule = (values.length === 1 ? '' : 'one of ') + values.map(String).join(', ');
  return input === undefined ? `is required: ${rule}` : `must be ${rule}`;
}

function bound(issue: { origin?: string }, size: string, value: string, limit: number | bigint): string {
  const unit = SIZES[issue.origin ?? ''];
  return unit ? `must have ${size} ${limit} ${unit}` : `must be ${value} ${limit}`;
}

const MAX_DETAILS = 100;
/** In characters: every name that means something fits; a path may hold names as long as a body. */
const MAX_PATH = 500;

/**
 * Parses by a schema; what does not fit, and what the schema does not know at any level, is a VALIDATION_ERROR that
 * names each place.
 */
export const parse = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> =>
  validated(schema, value, unknownMembers(schema, value));

/**
 * The same for the body of a request, where null at the outermost level means absent.
 * @param readOnly members that are passed over, as they belong to a record that was read
 * @param nulls members whose null is a value of its own
 */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: Record<string, unknown>,
  readOnly?: ReadonlySet<string>,
  nulls: readonly string[] = [],
): z.output<Schema> {
  return validated(schema, withoutNulls(body, nulls), unknownMembers(schema, body, readOnly));
}

function validated<Schema extends z.ZodType>(schema: Schema, value: unknown, strange: ErrorDetail[]): z.output<Schema> {
  const parsed = schema.safeParse(value, { reportInput: true, error: plainErrors });
  if (parsed.success && strange.length === 0) return parsed.data;
  const wrong = parsed.success ? [] : [...detailsOf(parsed.error), ...missingAnyway(schema, value, parsed.error)];
  const named = new Set(strange.map(({ path }) => path));
  throw refusal([...strange, ...wrong.filter(({ path }) => !named.has(path))]);
}

/** A schema's complaint in the service's own form. */
export const validationError = (error: z.ZodError, under: PropertyKey[] = []): AppError =>
  refusal(detailsOf(error, under));

/** Unknown keys of a strict object are named one by one. */
const detailsOf = (error: z.ZodError, under: PropertyKey[] = []): ErrorDetail[] =>
  error.issues.flatMap((issue) => {
    const path = [...under, ...issue.path];
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknown([...path, key], []));
    return [{ path: path.join('.'), message: issue.message }];
  });

/** With a missing or wrong kind zod checks nothing else; what every kind requires is named all the same. */
function missingAnyway(schema: z.ZodType, value: unknown, error: z.ZodError): ErrorDetail[] {
  const [issue] = error.issues;
  if (issue?.code !== 'invalid_union' || issue.path.length > 1 || typeof value !== 'object' || !value) return [];
  const kind = issue.path[0];
  return requiredAnyway(schema)
    .filter((name) => name !== kind && memberOf(value, name) === undefined)
    .map((path) => ({ path, message: 'is required' }));
}

/** A VALIDATION_ERROR of at least one wrong place; its message is about the first. */
export function refusal(details: ErrorDetail[]): AppError {
  const shown = details.slice(0, MAX_DETAILS).map(({ path, message }) => ({ path: shorten(path, MAX_PATH), message }));
  const [first] = shown;
  const told = first?.message.startsWith('`') ? first.message : `${first?.path || 'request'}: ${first?.message}`;
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  return new AppError('VALIDATION_ERROR', `${told}${more}`, { details: shown });
}

/** What identifies a record may be repeated in a PUT but not changed. Throws VALIDATION_ERROR. */
export function assertUnchanged<R extends object>(record: R, patch: { [K in keyof R]?: R[K] | undefined }): void {
  for (const [name, value] of Object.entries(patch)) {
    const present = memberOf(record, name);
    if (value !== undefined && value !== present) throw invalid(name, `cannot be changed; it is ${present}`);
  }
}
