import type * as z from 'zod';
import { AppError, type ErrorDetail } from '#lib/platform/errors.ts';
import { shorten } from '#lib/platform/text.ts';
import { withoutNulls } from '#lib/platform/without-nulls.ts';
import { plainErrors } from './plain-errors.ts';
import { requiredAnyway, unknown, unknownMembers } from './unknown-members.ts';

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
export const validationError = (error: z.ZodError, under: (string | number)[] = []): AppError =>
  refusal(detailsOf(error, under));

/** Unknown keys of a strict object are named one by one. */
const detailsOf = (error: z.ZodError, under: (string | number)[] = []): ErrorDetail[] =>
  error.issues.flatMap((issue) => {
    const path = [...under, ...issue.path] as (string | number)[];
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknown([...path, key], []));
    return [{ path: path.join('.'), message: issue.message }];
  });

/** With a missing or wrong kind zod checks nothing else; what every kind requires is named all the same. */
function missingAnyway(schema: z.ZodType, value: unknown, error: z.ZodError): ErrorDetail[] {
  const [issue] = error.issues;
  if (issue?.code !== 'invalid_union' || issue.path.length > 1 || typeof value !== 'object' || value === null)
    return [];
  const kind = issue.path[0];
  return requiredAnyway(schema)
    .filter((name) => name !== kind && (value as Record<string, unknown>)[name] === undefined)
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
