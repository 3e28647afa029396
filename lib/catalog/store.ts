import type { TenantScope } from '#lib/access/context.ts';
import { type Keys, under } from '#lib/keys.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { isId } from '#lib/platform/ids.ts';
import type { Freshness, Item, Page, Query } from '#lib/platform/ports.ts';
import { allOf, filtered, queryMerged } from '#lib/platform/table/pages.ts';
import { mapYielding } from '#lib/platform/yielding.ts';
import { type Blueprint, type BlueprintItem, blueprintRecord, type CatalogItem } from './blueprint.ts';
import { type Entity, type EntityItem, entityRecord } from './entity.ts';
import { type EntityFilter, hasCondition, matchesEntityFilter } from './entity-filter.ts';

/** Pointer from a slug to an entity. */
export type EntityPointer = Item & { v: string; entity_id: string };

const BLUEPRINTS = 'B#';

export const emptyCatalog = (keys: Keys, tenant: string): CatalogItem => ({
  ...keys.catalog(tenant),
  v: '',
  default_slug: null,
  blueprint_count: 0,
});

/** Returns a blueprint and the catalog item. Throws NOT_FOUND. */
export async function requireBlueprint(
  { ports, keys, tenant }: TenantScope,
  slug: string,
): Promise<{ blueprint: BlueprintItem; catalog: CatalogItem }> {
  const [blueprint, catalog] = await ports.table.getMany<[BlueprintItem, CatalogItem]>([
    keys.blueprint(tenant, slug),
    keys.catalog(tenant),
  ]);
  if (!blueprint || !catalog) throw notFound(`Blueprint ${slug}`);
  return { blueprint, catalog };
}

const blueprintsOf = ({ keys, tenant }: TenantScope): Query => ({
  partition: keys.blueprints(tenant),
  ...under(BLUEPRINTS),
});

/** Returns a reader of blueprints as the API shows them, in order of slugs. */
export function blueprintList(scope: TenantScope): Reader<Blueprint> {
  const { ports, keys, tenant } = scope;
  return async (after, limit) => {
    const [catalog, { items, next }] = await Promise.all([
      ports.table.get<CatalogItem>(keys.catalog(tenant)),
      ports.table.query<BlueprintItem>({ ...blueprintsOf(scope), limit, after }),
    ]);
    return { found: items.map((item) => ({ at: item.sk, value: blueprintRecord(item, catalog!) })), next };
  };
}

export async function allBlueprints(scope: TenantScope): Promise<Map<string, BlueprintItem>> {
  const all = await allOf<BlueprintItem>(scope.ports.table, blueprintsOf(scope));
  return new Map(all.map((blueprint) => [blueprint.slug, blueprint]));
}

/** Returns an entity by slug, with its blueprint. Throws NOT_FOUND for either. */
export async function requireEntity(
  { ports, keys, tenant }: TenantScope,
  blueprintSlug: string,
  slug: string,
): Promise<{ entity: EntityItem; blueprint: BlueprintItem }> {
  const [blueprint, pointer] = await ports.table.getMany<[BlueprintItem, EntityPointer]>([
    keys.blueprint(tenant, blueprintSlug),
    keys.entitySlug(tenant, blueprintSlug, slug),
  ]);
  if (!blueprint) throw notFound(`Blueprint ${blueprintSlug}`);
  const entity = pointer && (await ports.table.get<EntityItem>(keys.entity(tenant, pointer.entity_id)));
  if (!entity) throw notFound(`Entity ${slug} of blueprint ${blueprintSlug}`);
  return { entity, blueprint };
}

/** Returns entities in the order of `ids`. An eventual read that misses one is repeated strongly. Throws NOT_FOUND. */
export async function requireEntities(
  scope: TenantScope,
  ids: readonly string[],
  how: Freshness = {},
): Promise<EntityItem[]> {
  const { ports, keys, tenant } = scope;
  const validIds = ids.filter((id) => isId('ent', id));
  const found = await ports.table.getMany<EntityItem>(
    validIds.map((id) => keys.entity(tenant, id)),
    how,
  );
  if (how.eventual && found.includes(undefined)) return requireEntities(scope, ids);
  const entities = new Map(found.map((entity) => [entity?.id, entity]));
  return ids.map((id) => {
    const entity = entities.get(id);
    if (!entity) throw notFound(`Entity ${id}`);
    return entity;
  });
}

/** Returns an entity by id. Throws NOT_FOUND. */
export const requireEntityById = async (scope: TenantScope, id: string): Promise<EntityItem> =>
  (await requireEntities(scope, [id]))[0]!;

/** Returns an entity by id, with its blueprint. Throws NOT_FOUND. */
export async function requireEntityWithBlueprint(
  scope: TenantScope,
  id: string,
): Promise<{ entity: EntityItem; blueprint: BlueprintItem }> {
  const entity = await requireEntityById(scope, id);
  const blueprint = await scope.ports.table.get<BlueprintItem>(
    scope.keys.blueprint(scope.tenant, entity.blueprint_slug),
  );
  if (!blueprint) throw notFound(`Entity ${id}`);
  return { entity, blueprint };
}

/** Minimum number of entities read per bucket; entities are spread evenly over buckets. */
const MIN_PER_BUCKET = 10;

/** Returns a page of entities of all blueprints in order of ids; can be shorter than `limit` although more follow. */
export const entityPage = (
  { ports, keys, tenant }: TenantScope,
  range: Pick<Query, 'from' | 'after'>,
  limit: number,
): Promise<Page<EntityItem>> =>
  queryMerged<EntityItem>(
    ports.table,
    keys.buckets.map((bucket) => keys.entities(tenant, bucket)),
    { ...range, limit, each: Math.max(MIN_PER_BUCKET, Math.ceil(limit / keys.buckets.length)) },
  );

/** Returns a reader of the entities of a blueprint as the API shows them, in order of slugs. */
export function entityList(
  { ports, keys, tenant }: TenantScope,
  blueprint: BlueprintItem,
  wanted: EntityFilter = {},
): Reader<Entity> {
  const page = async (after: string | undefined, limit: number) => {
    const { items, next } = await ports.table.query<EntityPointer>({
      partition: keys.entitySlugs(tenant, blueprint.slug),
      limit,
      after,
    });
    const entities = await ports.table.getMany<EntityItem>(
      items.map(({ entity_id }) => keys.entity(tenant, entity_id)),
    );
    return { items: items.flatMap(({ sk }, i) => (entities[i] ? [{ sk, entity: entities[i] }] : [])), next };
  };
  const read = hasCondition(wanted) ? filtered(page, ({ entity }) => matchesEntityFilter(entity, wanted)) : page;
  return async (after, limit) => {
    const { items, ...rest } = await read(after, limit);
    const now = ports.clock.now();
    const found = await mapYielding(items, ({ sk, entity }) => ({
      at: sk,
      value: entityRecord(entity, blueprint, now),
    }));
    return { ...rest, found };
  };
}
