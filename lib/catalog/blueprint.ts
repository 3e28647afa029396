import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { AppError, invalid } from '#lib/platform/errors.ts';
import type { Item } from '#lib/platform/ports.ts';
import { Name, Slug, text } from '#lib/platform/text.ts';
import { Field, FieldInput, makeField, sortFields } from './field.ts';

const Description = text(0, 10_000);

export const NewBlueprint = z
  .object({
    slug: Slug,
    name: Name,
    description: Description.default(''),
    fields: z.array(FieldInput).default([]),
    is_default: z.boolean().optional(),
  })
  .meta({ id: 'NewBlueprint' });
export type NewBlueprint = z.infer<typeof NewBlueprint>;

/** A record can be sent back whole: `slug` and `fields` may be repeated but not changed. */
export const BlueprintPatch = z
  .object({
    slug: z.string().optional(),
    name: Name.optional(),
    description: Description.optional(),
    fields: z
      .array(z.record(z.string(), z.unknown()))
      .describe('May be repeated but not changed: they have endpoints of their own.')
      .optional(),
    is_default: z.boolean().optional(),
  })
  .meta({ id: 'BlueprintPatch' });
export type BlueprintPatch = z.infer<typeof BlueprintPatch>;

export const Blueprint = z
  .object({
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    /** By sort_order. */
    fields: z.array(Field),
    is_default: z.boolean(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Blueprint' });
export type Blueprint = z.infer<typeof Blueprint>;

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

export const blueprintRecord = (item: BlueprintItem, catalog: CatalogItem): Blueprint => ({
  slug: item.slug,
  name: item.name,
  description: item.description,
  fields: item.fields,
  is_default: item.slug === catalog.default_slug,
  created_at: item.created_at,
  updated_at: item.updated_at,
});

/** Throws VALIDATION_ERROR for fields other than those that there are; null in one means absent. */
export function mustBeSameFields({ slug, fields }: BlueprintItem, given: BlueprintPatch['fields']): void {
  const present = (field: object) => Object.fromEntries(Object.entries(field).filter(([, value]) => value !== null));
  if (!given || isDeepStrictEqual(given.map(present), fields.map(present))) return;
  const path = `/v1/blueprints/${slug}/fields`;
  throw invalid('fields', `cannot be changed here; POST ${path} adds one, DELETE ${path}/{name} removes one`);
}

/** Fields with one more, in their order. Throws CONFLICT when the name is taken. */
export function withField(fields: Field[], input: FieldInput): Field[] {
  if (fields.some(({ name }) => name === input.name)) {
    throw new AppError('CONFLICT', `The blueprint has a field ${input.name} already.`);
  }
  return sortFields([...fields, makeField(input, fields.length)]);
}
