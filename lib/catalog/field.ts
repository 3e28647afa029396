import * as z from 'zod';
import { type ErrorDetail, invalid } from '#lib/platform/errors.ts';
import { plainErrors, refusal, validationError } from '#lib/platform/http/validation.ts';
import { isStorable } from '#lib/platform/table/item-limits.ts';
import { Name, shorten } from '#lib/platform/text.ts';

export const FieldType = z
  .enum(['string', 'number', 'boolean', 'url', 'array'])
  .describe('What values must be: url is an absolute http or https URL, array a list of scalars.');
export type FieldType = z.infer<typeof FieldType>;

/** What a value of each type must be. An array holds scalars. */
const VALUE: Record<FieldType, z.ZodType> = {
  string: z.string(),
  number: z.number().refine(isStorable, 'is out of range'),
  boolean: z.boolean(),
  url: z.string().refine(isWebUrl, 'must be an absolute http or https URL'),
  array: z.array(z.unknown()).superRefine((values, context) => {
    // The first is enough: a list may hold thousands.
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

/** Why a value is not of its type, in zod's words; undefined when it is. */
export const validationIssueOf = (type: FieldType, value: unknown): z.ZodError | undefined =>
  VALUE[type].safeParse(value, { error: plainErrors }).error;

/** The value that a default's text means: `"42"`, `"true"`, `"[\"a\"]"`. Undefined when it is not of the type. */
export function parseDefault(type: FieldType, text: string): unknown {
  const value = type === 'string' || type === 'url' ? text : jsonOf(text);
  return validationIssueOf(type, value) ? undefined : value;
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

const Required = z.boolean().describe('Whether an entity must have a value; a default is one. Default false.');
const DefaultValue = z
  .string()
  .describe('Shown where an entity has no value: text that reads as the type, such as "42" or "[\\"a\\"]".');
const SortOrder = z.int().describe('Fields are shown in this order; default: its position.');

/** A field definition of a request; null means absent. */
export const FieldInput = z
  .object({
    // It is part of the path of its DELETE, which API Gateway passes on decoded and cut at a "?".
    name: Name.regex(/^[^?#]*$/, 'must not contain "?" or "#"')
      .refine((name) => name !== '__proto__', 'is not possible as a name')
      .describe('The key of its value on an entity; unique within the blueprint.'),
    field_type: FieldType,
    required: Required.nullish(),
    default_value: DefaultValue.nullish(),
    sort_order: SortOrder.nullish(),
  })
  .superRefine(({ field_type, default_value }, context) => {
    if (typeof default_value !== 'string' || parseDefault(field_type, default_value) !== undefined) return;
    const message = `must be text that reads as ${field_type}, such as ${JSON.stringify(EXAMPLE[field_type])}`;
    context.addIssue({ code: 'custom', path: ['default_value'], message });
  })
  .meta({ id: 'NewField' });
export type FieldInput = z.infer<typeof FieldInput>;

/** A typed custom field of a blueprint. */
export const Field = z
  .object({
    name: z.string().describe('The key of its value on an entity.'),
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

/** In the order in which they are shown. */
export const sortFields = (fields: Field[]): Field[] => fields.toSorted((a, b) => a.sort_order - b.sort_order);

/** The most that an entity's own values take as JSON, and the defaults of a blueprint: lists show hundreds of them. */
export const VALUE_BYTES = 16 * 1024;
/** Names that a complaint lists, in characters. */
const MAX_LISTED = 500;

/** Values of an entity's fields by name. */
type FieldValues = Record<string, unknown>;

/**
 * What an entity shows of its fields: its own value where it has one that still fits the definition, else the default,
 * parsed to the field's type. Values of removed or retyped fields are not shown.
 */
export function shownValues(fields: readonly Field[], stored: FieldValues): FieldValues {
  return Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      if (isKept(field, stored)) return [[field.name, stored[field.name]]];
      return field.default_value === undefined ? [] : [[field.name, defaultOf(field)]];
    }),
  );
}

/** Defaults as values, parsed once for all entities of a list. */
const defaults = new WeakMap<Field, unknown>();

function defaultOf(field: Field): unknown {
  if (!defaults.has(field)) defaults.set(field, parseDefault(field.field_type, field.default_value!));
  return defaults.get(field);
}

/**
 * The values to store after a write: `patch` merged over what is stored, a null removing its key. Every field that is
 * required must then have a value or a default. Throws VALIDATION_ERROR naming each wrong place below `fields`.
 */
export function mergeValues(fields: readonly Field[], stored: FieldValues, patch: FieldValues): FieldValues {
  assertSmall(patch);
  const merged = new Map<string, unknown>();
  for (const field of fields) {
    const value = Object.hasOwn(patch, field.name) ? patch[field.name] : kept(field, stored);
    if (value !== undefined && value !== null) merged.set(field.name, value);
  }
  const wrong = [
    ...unknownNames(fields, patch),
    ...fields.flatMap((field) => wrongValue(field, merged.get(field.name))),
  ];
  if (wrong.length > 0) throw refusal(wrong);
  const values = Object.fromEntries(merged);
  assertSmall(values);
  return values;
}

function assertSmall(values: FieldValues): void {
  if (Buffer.byteLength(JSON.stringify(values)) <= VALUE_BYTES) return;
  throw invalid('fields', `must have at most ${VALUE_BYTES} bytes as JSON; keep large texts elsewhere and link them`);
}

function unknownNames(fields: readonly Field[], patch: FieldValues): ErrorDetail[] {
  const known = new Set(fields.map(({ name }) => name));
  const names = [...known].join(', ');
  const message = `is not a field of this blueprint (${shorten(names, MAX_LISTED) || 'it has none'})`;
  return Object.keys(patch).flatMap((name) => (known.has(name) ? [] : [{ path: `fields.${name}`, message }]));
}

function wrongValue(field: Field, value: unknown): ErrorDetail[] {
  if (value === undefined) {
    const isMissing = field.required && field.default_value === undefined;
    return isMissing ? [{ path: `fields.${field.name}`, message: 'is required by the blueprint' }] : [];
  }
  const complaint = validationIssueOf(field.field_type, value);
  return complaint ? (validationError(complaint, ['fields', field.name]).details ?? []) : [];
}

const kept = (field: Field, stored: FieldValues): unknown => (isKept(field, stored) ? stored[field.name] : undefined);

const isKept = (field: Field, stored: FieldValues): boolean =>
  Object.hasOwn(stored, field.name) && validationIssueOf(field.field_type, stored[field.name]) === undefined;
