import { type ErrorDetail, invalid } from '#lib/platform/errors.ts';
import { refusal, validationError } from '#lib/platform/http/validation.ts';
import { shorten } from '#lib/platform/text.ts';
import { complaintOf, type Field, parseDefault } from './field.ts';

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
  mustBeSmall(patch);
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
  mustBeSmall(values);
  return values;
}

function mustBeSmall(values: FieldValues): void {
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
  const complaint = complaintOf(field.field_type, value);
  return complaint ? (validationError(complaint, ['fields', field.name]).details ?? []) : [];
}

const kept = (field: Field, stored: FieldValues): unknown => (isKept(field, stored) ? stored[field.name] : undefined);

const isKept = (field: Field, stored: FieldValues): boolean =>
  Object.hasOwn(stored, field.name) && complaintOf(field.field_type, stored[field.name]) === undefined;
