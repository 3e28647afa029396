import type { ErrorDetail } from '#lib/platform/errors.ts';
import { refusal, validationError } from '#lib/platform/validation.ts';
import { complaintOf, type Field, parseDefault } from './field.ts';

/** Values of an entity's fields by name. */
export type FieldValues = Record<string, unknown>;

/**
 * What an entity shows of its fields: its own value where it has one that still fits the definition, else the default,
 * parsed to the field's type. Values of removed or retyped fields are not shown.
 */
export function shownValues(fields: readonly Field[], stored: FieldValues): FieldValues {
  return Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      if (isKept(field, stored)) return [[field.name, stored[field.name]]];
      return field.default_value === undefined
        ? []
        : [[field.name, parseDefault(field.field_type, field.default_value)]];
    }),
  );
}

/**
 * The values to store after a write: `patch` merged over what is stored, a null removing its key. Every field that is
 * required must then have a value or a default. Throws VALIDATION_ERROR naming each wrong place below `fields`.
 */
export function mergeValues(fields: readonly Field[], stored: FieldValues, patch: FieldValues): FieldValues {
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
  return Object.fromEntries(merged);
}

function unknownNames(fields: readonly Field[], patch: FieldValues): ErrorDetail[] {
  const known = new Set(fields.map(({ name }) => name));
  const message = `is not a field of this blueprint (${[...known].join(', ') || 'it has none'})`;
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
