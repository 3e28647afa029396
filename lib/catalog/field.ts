import * as z from 'zod';
import { type ErrorDetail, invalid } from '#lib/platform/errors.ts';
import { plainErrors, refusal, validationError } from '#lib/platform/http/validation.ts';
import { isStorable } from '#lib/platform/table/item-limits.ts';
import { Name, shorten } from '#lib/platform/text.ts';

export const FieldType = z
  .enum(['string', 'number', 'boolean', 'url', 'array'])
  .describe('Type of the values. url: absolute http or https URL. array: list of scalars.');
export type FieldType = z.infer<typeof FieldType>;

const VALUE: Record<FieldType, z.ZodType> = {
  string: z.string(),
  number: z.number().refine(isStorable, 'is out of range'),
  boolean: z.boolean(),
  url: z.string().refine(isWebUrl, 'must be an absolute http or https URL'),
  array: z.array(z.unknown()).superRefine((values, context) => {
    // Reports only the first: a list may have thousands.
    const wrong = values.findIndex((value) => !isScalar(value));
    if (wrong < 0) return;
    context.addIssue({ code: 'custom', path: [wrong], message: 'must be a string, a number or a boolean' });
  }),
};

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && isStorable(value));

function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** Returns the error of a value that does not have the type; undefined if it has. */
export const typeErrorOf = (type: FieldType, value: unknown): z.ZodError | undefined =>
  VALUE[type].safeParse(value, { error: plainErrors }).error;

/** Parses the text of a default value: `42`, `true`, `["a"]`. Returns undefined if it does not have the type. */
export function parseDefault(type: FieldType, text: string): unknown {
  const value = type === 'string' || type === 'url' ? text : jsonOf(text);
  return typeErrorOf(type, value) ? undefined : value;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const EXAMPLE: Record<FieldType, string> = {
  string: 'text',
  number: '42',
  boolean: 'true',
  url: 'https://example.com',
  array: '["a"]',
};

const Required = z.boolean().describe('Whether an entity must have a value; a default value counts. Default: false.');
const DefaultValue = z
  .string()
  .describe('Value for entities without one, as text that parses as the type, such as "42" or "[\\"a\\"]".');
const SortOrder = z.int().describe('Position of the field, ascending. Default: position in the list.');

/** Field definition in a request; null means absent. */
export const FieldInput = z
  .object({
    // PUT and DELETE have the name in their path, which API Gateway passes on decoded and cut at a "?".
    name: Name.regex(/^[^?#]*$/, 'must not contain "?" or "#"')
      .refine((name) => name !== '__proto__', 'is a reserved name')
      .describe('Key of its value in an entity; unique within the blueprint.'),
    field_type: FieldType,
    required: Required.nullish(),
    default_value: DefaultValue.nullish(),
    sort_order: SortOrder.nullish(),
  })
  .superRefine(({ field_type, default_value }, context) => {
    if (typeof default_value !== 'string' || parseDefault(field_type, default_value) !== undefined) return;
    const message = `must be text that parses as ${field_type}, such as ${JSON.stringify(EXAMPLE[field_type])}`;
    context.addIssue({ code: 'custom', path: ['default_value'], message });
  })
  .meta({ id: 'NewField' });
export type FieldInput = z.infer<typeof FieldInput>;

export const Field = z
  .object({
    name: z.string().describe('Key of its value in an entity.'),
    field_type: FieldType,
    required: Required,
    default_value: DefaultValue.optional(),
    sort_order: SortOrder,
  })
  .meta({ id: 'Field' });
export type Field = z.infer<typeof Field>;

/** @param position among the fields of its blueprint, from 0 */
export const makeField = (input: FieldInput, position: number): Field => ({
  name: input.name,
  field_type: input.field_type,
  required: input.required ?? false,
  ...(typeof input.default_value === 'string' && { default_value: input.default_value }),
  sort_order: input.sort_order ?? position,
});

export const sortFields = (fields: Field[]): Field[] => fields.toSorted((a, b) => a.sort_order - b.sort_order);

/** Maximum bytes of an entity's values as JSON, and of a blueprint's defaults: a list returns hundreds of entities. */
export const MAX_VALUE_BYTES = 16 * 1024;
const MAX_NAMES_LENGTH = 500;

type FieldValues = Record<string, unknown>;

/** Returns the visible values: stored ones that have the type of their field, else defaults. Others are hidden. */
export function shownValues(fields: readonly Field[], stored: FieldValues): FieldValues {
  return Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      if (hasValidValue(field, stored)) return [[field.name, stored[field.name]]];
      return field.default_value === undefined ? [] : [[field.name, defaultOf(field)]];
    }),
  );
}

const defaults = new WeakMap<Field, unknown>();

function defaultOf(field: Field): unknown {
  if (!defaults.has(field)) defaults.set(field, parseDefault(field.field_type, field.default_value!));
  return defaults.get(field);
}

/** Merges `patch` over `stored`; null removes a key. Throws VALIDATION_ERROR with each wrong or missing path. */
export function mergeValues(fields: readonly Field[], stored: FieldValues, patch: FieldValues): FieldValues {
  assertSmall(patch);
  const merged = new Map<string, unknown>();
  for (const field of fields) {
    const value = Object.hasOwn(patch, field.name) ? patch[field.name] : validValueOf(field, stored);
    if (value !== undefined && value !== null) merged.set(field.name, value);
  }
  const errors = [
    ...unknownNameErrors(fields, patch),
    ...fields.flatMap((field) => valueErrors(field, merged.get(field.name))),
  ];
  if (errors.length > 0) throw refusal(errors);
  const values = Object.fromEntries(merged);
  assertSmall(values);
  return values;
}

function assertSmall(values: FieldValues): void {
  if (Buffer.byteLength(JSON.stringify(values)) <= MAX_VALUE_BYTES) return;
  throw invalid(
    'fields',
    `must have at most ${MAX_VALUE_BYTES} bytes as JSON; keep large texts elsewhere and link them`,
  );
}

function unknownNameErrors(fields: readonly Field[], patch: FieldValues): ErrorDetail[] {
  const known = new Set(fields.map(({ name }) => name));
  const names = [...known].join(', ');
  const message = `is not a field of this blueprint (${shorten(names, MAX_NAMES_LENGTH) || 'it has none'})`;
  return Object.keys(patch).flatMap((name) => (known.has(name) ? [] : [{ path: `fields.${name}`, message }]));
}

function valueErrors(field: Field, value: unknown): ErrorDetail[] {
  if (value === undefined) {
    const isMissing = field.required && field.default_value === undefined;
    return isMissing ? [{ path: `fields.${field.name}`, message: 'is required by the blueprint' }] : [];
  }
  const issue = typeErrorOf(field.field_type, value);
  return issue ? (validationError(issue, ['fields', field.name]).details ?? []) : [];
}

const validValueOf = (field: Field, stored: FieldValues): unknown =>
  hasValidValue(field, stored) ? stored[field.name] : undefined;

const hasValidValue = (field: Field, stored: FieldValues): boolean =>
  Object.hasOwn(stored, field.name) && typeErrorOf(field.field_type, stored[field.name]) === undefined;
