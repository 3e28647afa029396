import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import { AppError, invalid } from '#lib/platform/errors.ts';
import { atMost } from '#lib/platform/http/json-size.ts';
import { CreatedAt, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { Name, Slug, text } from '#lib/platform/text.ts';
import { Field, FieldInput, makeField, sortFields, VALUE_BYTES } from './field.ts';

const BlueprintSlug = Slug.describe('Names the blueprint in paths; unique within the account, and fixed.');
const BlueprintName = Name.describe('What this kind of thing is called, such as "Service".');
const Description = text(0, 10_000).describe('For people; may be empty.');
const IsDefault = z.boolean().describe('Whether it is the default of the account; true moves the mark here.');

const MAX_FIELDS = 200;

export const NewBlueprint = z
  .object({
    slug: BlueprintSlug,
    name: BlueprintName,
    description: Description.default(''),
    fields: atMost(
      MAX_FIELDS,
      z.array(FieldInput).max(MAX_FIELDS),
      `must hold at most ${MAX_FIELDS} fields; an array field holds many values of one kind`,
    )
      .describe('The typed fields that its entities have; at most 200.')
      .default([]),
    is_default: IsDefault.optional(),
  })
  .meta({ id: 'NewBlueprint' });
export type NewBlueprint = z.infer<typeof NewBlueprint>;

/** A record can be sent back whole: `slug` and `fields` may be repeated but not changed. */
export const BlueprintPatch = z
  .object({
    slug: Unchanged.optional(),
    name: BlueprintName.optional(),
    description: Description.optional(),
    fields: z
      .array(z.record(z.string(), z.unknown()))
      .describe('May be repeated but not changed: they have endpoints of their own.')
      .optional(),
    is_default: IsDefault.optional(),
  })
  .meta({ id: 'BlueprintPatch' });
export type BlueprintPatch = z.infer<typeof BlueprintPatch>;

export const Blueprint = z
  .object({
    slug: z.string().describe('Names the blueprint in paths.'),
    name: z.string().describe('What this kind of thing is called.'),
    description: z.string().describe('For people; may be empty.'),
    fields: z.array(Field).describe('The typed fields of its entities, by sort_order.'),
    is_default: z.boolean().describe('Whether it is the default of the account; one blueprint is.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Blueprint' });
export type Blueprint = z.infer<typeof Blueprint>;

const BlueprintSettings = Blueprint.omit({ created_at: true, updated_at: true });

export const auditedBlueprint: Audited<Blueprint> = {
  type: 'blueprint',
  target: ({ slug, name }) => ({ id: slug, name }),
  members: (blueprint) => pick(BlueprintSettings, blueprint),
};

/** A field, of the blueprint that has that slug. */
export const auditedField: Audited<Field & { slug: string }> = {
  type: 'field',
  target: ({ slug, name }) => ({ id: `${slug}.${name}`, name, within: [slug] }),
  members: (field) => pick(Field, field),
};

/** A blueprint. Its size is the tenant's. */
export type BlueprintItem = Item &
  Omit<Blueprint, 'is_default'> & {
    v: string;
    tenant_id: string;
    /** Changes with each entity made or deleted, in the same transaction: the plan limit holds under concurrency. */
    entity_count: number;
  };

/** What is true of a tenant's blueprints together; written with each blueprint made or deleted. */
export type CatalogItem = Item & { v: string; default_slug: string | null; blueprint_count: number };

export const blueprintRecord = (item: BlueprintItem, catalog: CatalogItem): Blueprint =>
  pick(Blueprint, { ...item, is_default: item.slug === catalog.default_slug });

/** Throws VALIDATION_ERROR for fields other than those that there are; null in one means absent. */
export function assertSameFields({ slug, fields }: BlueprintItem, given: BlueprintPatch['fields']): void {
  const present = (field: object) => Object.fromEntries(Object.entries(field).filter(([, value]) => value !== null));
  if (!given || isDeepStrictEqual(given.map(present), fields.map(present))) return;
  const path = `/v1/blueprints/${slug}/fields`;
  throw invalid('fields', `cannot be changed here; POST ${path} adds one, DELETE ${path}/{name} removes one`);
}

/**
 * Fields with more of them, in their order. Throws CONFLICT for a name that is taken, LIMIT_EXCEEDED for too many of
 * them or for defaults that no entity could hold together.
 */
export function withFields(fields: Field[], more: FieldInput[]): Field[] {
  const taken = new Set(fields.map(({ name }) => name));
  for (const { name } of more) {
    if (taken.has(name)) throw new AppError('CONFLICT', `The blueprint has a field ${name} already.`);
    taken.add(name);
  }
  return inOrder([...fields, ...more.map((input, i) => makeField(input, fields.length + i))]);
}

/** Fields with one of them defined anew; without a `sort_order` it keeps its place. Throws LIMIT_EXCEEDED. */
export const withChanged = (fields: Field[], old: Field, input: FieldInput): Field[] =>
  inOrder(fields.map((field) => (field === old ? makeField(input, old.sort_order) : field)));

function inOrder(all: Field[]): Field[] {
  if (all.length > MAX_FIELDS) {
    throw new AppError('LIMIT_EXCEEDED', `A blueprint has at most ${MAX_FIELDS} fields. Remove one first.`);
  }
  if (all.reduce((sum, { default_value = '' }) => sum + Buffer.byteLength(default_value), 0) > VALUE_BYTES) {
    throw new AppError('LIMIT_EXCEEDED', `The defaults of a blueprint have at most ${VALUE_BYTES} bytes together.`);
  }
  return sortFields(all);
}
