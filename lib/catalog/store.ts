import type { Scope } from '#lib/access/context.ts';
import type { Keys } from '#lib/keys.ts';
import { invalid, notFound } from '#lib/platform/errors.ts';
import { mapInTurns } from '#lib/platform/net/turns.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { Reader } from '#lib/platform/table/paging.ts';
import { type Blueprint, type BlueprintItem, blueprintRecord, type CatalogItem } from './blueprint.ts';
import { type Entity, entityRecord } from './entity.ts';
import type { EntityItem } from './entity-item.ts';

/**
 * Items of the catalog and how they are read, all strongly:
 *
 * | pattern                      | request                                                          |
 * |------------------------------|------------------------------------------------------------------|
 * | a blueprint and the default  | get many blueprint(slug), catalog                                |
 * | blueprints by slug           | get catalog, query blueprints(tenant)                            |
 * | an entity by its slug        | get many blueprint(slug), entitySlug(…), then get entity(id)     |
 * | an entity by its id          | get entity(id)                                                   |
 * | entities of a blueprint      | query entitySlugs(…), then get many entity(id)                   |
 */

/** The entity that has a slug. */
export type EntityPointer = Item & { v: string; entity_id: string };

const BLUEPRINTS = 'B#';

export const noCatalog = (keys: Keys, tenant: string): CatalogItem => ({
  ...keys.catalog(tenant),
  v: '',
  default_slug: null,
  blueprint_count: 0,
});

/** A blueprint with the catalog it is in. Throws NOT_FOUND. */
export async function requireBlueprint(
  { ports, keys, tenant }: Scope,
  slug: string,
): Promise<{ blueprint: BlueprintItem; catalog: CatalogItem }> {
  const [blueprint, catalog] = await ports.table.getMany([keys.blueprint(tenant, slug), keys.catalog(tenant)]);
  if (!blueprint || !catalog) throw notFound(`Blueprint ${slug}`);
  return { blueprint: blueprint as BlueprintItem, catalog: catalog as CatalogItem };
}

/** Blueprints in the order of their slugs. */
export function blueprintItems({ ports, keys, tenant }: Scope): Reader<BlueprintItem> {
  return async (after, limit) => {
    const { items, next } = await ports.table.query<BlueprintItem>({
      partition: keys.blueprints(tenant),
      prefix: BLUEPRINTS,
      limit,
      ...(after !== undefined && { after }),
    });
    return { found: items.map((value) => ({ at: value.sk, value })), next };
  };
}

/** Blueprints as the API shows them, in the order of their slugs. */
export function blueprintList(scope: Scope): Reader<Blueprint> {
  const read = blueprintItems(scope);
  return async (after, limit) => {
    const { ports, keys, tenant } = scope;
    const [catalog, { found, next }] = await Promise.all([
      ports.table.get<CatalogItem>(keys.catalog(tenant)),
      read(after, limit),
    ]);
    return { found: found.map(({ at, value }) => ({ at, value: blueprintRecord(value, catalog!) })), next };
  };
}

/** Every blueprint of a tenant by its slug, for lists of entities of several. */
export async function allBlueprints(scope: Scope): Promise<Map<string, BlueprintItem>> {
  const read = blueprintItems(scope);
  const all = new Map<string, BlueprintItem>();
  let after: string | undefined;
  do {
    const { found, next } = await read(after, 1000);
    for (const { value } of found) all.set(value.slug, value);
    after = next;
  } while (after !== undefined);
  return all;
}

/** An entity by its slug, with its blueprint. Throws NOT_FOUND for either. */
export async function requireEntity(
  { ports, keys, tenant }: Scope,
  blueprintSlug: string,
  slug: string,
): Promise<{ entity: EntityItem; blueprint: BlueprintItem }> {
  const [blueprint, pointer] = await ports.table.getMany([
    keys.blueprint(tenant, blueprintSlug),
    keys.entitySlug(tenant, blueprintSlug, slug),
  ]);
  if (!blueprint) throw notFound(`Blueprint ${blueprintSlug}`);
  const entity =
    pointer && (await ports.table.get<EntityItem>(keys.entity(tenant, (pointer as EntityPointer).entity_id)));
  if (!entity) throw notFound(`Entity ${slug} of blueprint ${blueprintSlug}`);
  return { entity, blueprint: blueprint as BlueprintItem };
}

/** Entities of a blueprint as the API shows them, in the order of their slugs. */
export function entityList({ ports, keys, tenant }: Scope, blueprint: BlueprintItem): Reader<Entity> {
  return async (after, limit) => {
    const { items, next } = await ports.table.query<EntityPointer>({
      partition: keys.entitySlugs(tenant, blueprint.slug),
      limit,
      ...(after !== undefined && { after }),
    });
    const entities = await ports.table.getMany<EntityItem>(
      items.map(({ entity_id }) => keys.entity(tenant, entity_id)),
    );
    const found = await mapInTurns(entities, (entity, i) =>
      entity ? [{ at: items[i]!.sk, value: entityRecord(entity, blueprint) }] : [],
    );
    return { found: found.flat(), next };
  };
}

/** What identifies a record may be repeated in a PUT but not changed. Throws VALIDATION_ERROR. */
export function mustStay<R extends object>(record: R, patch: { [K in keyof R]?: R[K] | undefined }): void {
  for (const [name, value] of Object.entries(patch)) {
    const present = record[name as keyof R];
    if (value !== undefined && value !== present) throw invalid(name, `cannot be changed; it is ${present}`);
  }
}
