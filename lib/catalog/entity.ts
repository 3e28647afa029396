import * as z from 'zod';
import { Name, Slug } from '#lib/platform/text.ts';
import type { BlueprintItem } from './blueprint.ts';
import type { EntityItem } from './entity-item.ts';
import { shownValues } from './field-values.ts';

/** Judged against the blueprint by `mergeValues`. */
const Values = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object from field names to values',
  )
  .meta({ type: 'object', additionalProperties: true });

export const NewEntity = z.object({ slug: Slug, name: Name, fields: Values.default({}) }).meta({ id: 'NewEntity' });
export type NewEntity = z.infer<typeof NewEntity>;

/** A record can be sent back whole: `id`, `slug` and `blueprint_slug` may be repeated but not changed. */
export const EntityPatch = z
  .object({
    id: z.string().optional(),
    slug: z.string().optional(),
    blueprint_slug: z.string().optional(),
    name: Name.optional(),
    fields: Values.optional(),
  })
  .meta({ id: 'EntityPatch' });
export type EntityPatch = z.infer<typeof EntityPatch>;

export const EntityState = z.enum(['up', 'degraded', 'down', 'unknown']).meta({ id: 'EntityState' });

export const Entity = z
  .object({
    id: z.string(),
    blueprint_slug: z.string(),
    slug: z.string(),
    name: z.string(),
    fields: z.record(z.string(), z.unknown()),
    state: EntityState,
    state_since: z.iso.datetime(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Entity' });
export type Entity = z.infer<typeof Entity>;

/** An entity as the interface shows it, its fields filled up with the blueprint's defaults. */
export const entityRecord = (item: EntityItem, blueprint: Pick<BlueprintItem, 'fields'>): Entity => ({
  id: item.id,
  blueprint_slug: item.blueprint_slug,
  slug: item.slug,
  name: item.name,
  fields: shownValues(blueprint.fields, item.fields),
  state: item.state,
  state_since: item.state_since,
  created_at: item.created_at,
  updated_at: item.updated_at,
});
