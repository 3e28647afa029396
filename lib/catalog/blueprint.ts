import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import { AppError, invalid } from '#lib/platform/errors.ts';
import { atMost } from '#lib/platform/http/json-size.ts';
import { CreatedAt, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { Name, Slug, text } from '#lib/platform/text.ts';
import { Field, FieldInput, MAX_VALUE_BYTES, makeField, sortFields } from './field.ts';

const BlueprintSlug = Slug.describe('Slug of the blueprint in paths; unique within the account, cannot change.');
const BlueprintName = Name.describe('Name of the kind of component, such as "Service".');
const Description = text(0, 10_000).describe('Human-readable description; empty by default.');
const IsDefault = z
  .boolean()
  .describe('Whether it is the default blueprint, used for new monitors; true makes it the default.');

const MAX_FIELDS = 200;

export const NewBlueprint = z
  .object({
    slug: BlueprintSlug,
    name: BlueprintName,
    description: Description.default(''),
    fields: atMost(
      MAX_FIELDS,
      z.array(FieldInput).max(MAX_FIELDS),
      `must have at most ${MAX_FIELDS} fields; an array field holds many values of one kind`,
    )
      .describe('Typed fields of its entities, at most 200.')
      .default([]),
    is_default: IsDefault.optional(),
  })
  .meta({ id: 'NewBlueprint' });
export type NewBlueprint = z.infer<typeof NewBlueprint>;

/** Partial update; `slug` and `fields` are accepted unchanged, so that a record can be sent back. */
export const BlueprintPatch = z
  .object({
    slug: Unchanged.optional(),
    name: BlueprintName.optional(),
    description: Description.optional(),
    fields: z
      .array(z.record(z.string(), z.unknown()))
      .describe('Accepted only with the current value; fields have separate endpoints.')
      .optional(),
    is_default: IsDefault.optional(),
  })
  .meta({ id: 'BlueprintPatch' });
export type BlueprintPatch = z.infer<typeof BlueprintPatch>;

export const Blueprint = z
  .object({
    slug: z.string().describe('Slug of the blueprint in paths.'),
    name: z.string().describe('Name of the kind of component.'),
    description: z.string().describe('Human-readable description.'),
    fields: z.array(Field).describe('Typed fields of its entities, by sort_order.'),
    is_default: z.boolean().describe('Whether it is the default of the account; exactly one blueprint is.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Blueprint' });
export type Blueprint = z.infer<typeof Blueprint>;

const BlueprintSettings = Blueprint.omit({ created_at: true, updated_at: true });

export const auditedBlueprint: Audited<Blueprint> = {
  type: 'blueprint',
  target: ({ slug, name }) => ({ id: slug, name }),
  properties: (blueprint) => pick(BlueprintSettings, blueprint),
};

export const auditedField: Audited<Field & { slug: string }> = {
  type: 'field',
  target: ({ slug, name }) => ({ id: `${slug}.${name}`, name, within: [slug] }),
  properties: (field) => pick(Field, field),
};

/** Stored blueprint; its size depends on its fields and description. */
export type BlueprintItem = Item &
  Omit<Blueprint, 'is_default'> & {
    v: string;
    tenant_id: string;
    /** Number of entities; changed in the transaction that creates or deletes one, so that their limit holds. */
    entity_count: number;
  };

/** State shared by all blueprints of a tenant; written when one is created, deleted or made the default. */
export type CatalogItem = Item & { v: string; default_slug: string | null; blueprint_count: number };

export const blueprintRecord = (item: BlueprintItem, catalog: CatalogItem): Blueprint =>
  pick(Blueprint, { ...item, is_default: item.slug === catalog.default_slug });

/** Throws VALIDATION_ERROR if the fields differ from the stored ones; null in a field means absent. */
export function assertSameFields({ slug, fields }: BlueprintItem, given: BlueprintPatch['fields']): void {
  const present = (field: object) => Object.fromEntries(Object.entries(field).filter(([, value]) => value !== null));
  if (!given || isDeepStrictEqual(given.map(present), fields.map(present))) return;
  const path = `/v1/blueprints/${slug}/fields`;
  const remedy = `POST ${path} adds one, PUT ${path}/{name} replaces one, DELETE removes it`;
  throw invalid('fields', `cannot be changed here; ${remedy}`);
}

/** Adds fields. Throws CONFLICT for a duplicate name, LIMIT_EXCEEDED for too many fields or too large defaults. */
export function withFields(fields: Field[], more: FieldInput[]): Field[] {
  const taken = new Set(fields.map(({ name }) => name));
  for (const { name } of more) {
    if (taken.has(name)) throw new AppError('CONFLICT', `The blueprint has a field ${name} already.`);
    taken.add(name);
  }
  return checkedFields([...fields, ...more.map((input, i) => makeField(input, fields.length + i))]);
}

/** Replaces the definition of a field; without `sort_order` it keeps its position. Throws LIMIT_EXCEEDED. */
export const withChangedField = (fields: Field[], old: Field, input: FieldInput): Field[] =>
  checkedFields(fields.map((field) => (field === old ? makeField(input, old.sort_order) : field)));

function checkedFields(all: Field[]): Field[] {
  if (all.length > MAX_FIELDS) {
    throw new AppError('LIMIT_EXCEEDED', `A blueprint has at most ${MAX_FIELDS} fields. Remove one first.`);
  }
  if (all.reduce((sum, { default_value = '' }) => sum + Buffer.byteLength(default_value), 0) > MAX_VALUE_BYTES) {
    throw new AppError('LIMIT_EXCEEDED', `The defaults of a blueprint have at most ${MAX_VALUE_BYTES} bytes together.`);
  }
  return sortFields(all);
}
