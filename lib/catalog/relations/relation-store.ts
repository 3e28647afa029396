import type { TenantScope } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { RELATED_IN, RELATED_OUT, under } from '#lib/keys.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import type { Item, Key } from '#lib/platform/ports.ts';
import { allOf, itemsOf, queryMerged } from '#lib/platform/table/pages.ts';
import {
  type FailurePropagation,
  type Relation,
  type RelationCopy,
  type RelationItem,
  relationRecord,
  type StoredRelation,
} from './relation.ts';

// Readers hide the relations of a deleted entity until they are reclaimed.

type Ends = Pick<StoredRelation, 'from_entity_id' | 'to_entity_id' | 'relation_type'>;

export const copyKeys = ({ keys, tenant }: Pick<TenantScope, 'keys' | 'tenant'>, ends: Ends): [Key, Key] => {
  const { from_entity_id: from, to_entity_id: to, relation_type: type } = ends;
  return [keys.relationOut(tenant, from, type, to), keys.relationIn(tenant, to, type, from)];
};

/** Returns a relation with its two entities. Throws NOT_FOUND, also if one of them was deleted. */
export async function requireRelation(scope: TenantScope, id: string): Promise<Visible<RelationItem>> {
  const { ports, keys, tenant } = scope;
  const relation = await ports.table.get<RelationItem>(keys.relation(tenant, id));
  const [visible] = relation ? await withEntities(scope, [relation]) : [];
  if (!visible) throw notFound(`Relation ${id}`);
  return visible;
}

/** Returns a reader of relations as the API shows them, oldest first. */
export const relationList =
  (scope: TenantScope): Reader<Relation> =>
  async (after, limit) => {
    const { ports, keys, tenant } = scope;
    const { items, next } = await queryMerged<RelationItem>(
      ports.table,
      keys.buckets.map((bucket) => keys.relations(tenant, bucket)),
      { limit, after },
    );
    return { found: recordsOf(await withEntities(scope, items)), next };
  };

/** Returns a reader of the relations of an entity: incoming first, then outgoing, each by type. */
export const relationsOfEntity =
  (scope: TenantScope, entity: string): Reader<Relation> =>
  async (after, limit) => {
    const { ports, keys, tenant } = scope;
    const partition = keys.relationsOf(tenant, entity);
    const { items, next } = await ports.table.query<RelationCopy>({ partition, limit, after });
    return { found: recordsOf(await withEntities(scope, items)), next };
  };

const relationsFrom = ({ ports, keys, tenant }: TenantScope, entity: string): Promise<RelationCopy[]> =>
  allOf<RelationCopy>(ports.table, { partition: keys.relationsOf(tenant, entity), ...under(RELATED_OUT) });

/** Returns the first relations from an entity. @param limit at most 1,000, so that they fit in one page (1 MB) */
export async function firstRelationsFrom(
  { ports, keys, tenant }: TenantScope,
  entity: string,
  limit: number,
): Promise<RelationCopy[]> {
  const query = { partition: keys.relationsOf(tenant, entity), ...under(RELATED_OUT), limit };
  return (await ports.table.query<RelationCopy>(query)).items;
}

/** Returns the first entities that depend directly on an entity by relations that propagate failure, up to `limit`. */
export async function dependentsOf(
  { ports, keys, tenant }: TenantScope,
  entity: string,
  limit: number,
): Promise<EntityItem[]> {
  const query = { partition: keys.relationsOf(tenant, entity), ...under(RELATED_IN), eventual: true };
  const ids = new Set<string>();
  for await (const relation of itemsOf<RelationCopy>(ports.table, query)) {
    if (relation.propagates_failure) ids.add(relation.from_entity_id);
    if (ids.size === limit) break;
  }
  const entities = await ports.table.getMany<EntityItem>([...ids].map((id) => keys.entity(tenant, id)));
  return entities.filter((one) => one !== undefined);
}

/** Returns the number of outgoing relations of an entity in a group; 0 without a read if `required` is null. */
export async function groupSizeOf(
  scope: TenantScope,
  entity: string,
  { group, required }: FailurePropagation,
): Promise<number> {
  if (required === null) return 0;
  return (await relationsFrom(scope, entity)).filter((relation) => relation.group === group).length;
}

type Visible<T extends StoredRelation> = { relation: T; from: EntityItem; to: EntityItem };

async function withEntities<T extends StoredRelation>(
  { ports, keys, tenant }: TenantScope,
  relations: T[],
): Promise<Visible<T>[]> {
  const ids = [...new Set(relations.flatMap((relation) => [relation.from_entity_id, relation.to_entity_id]))];
  const entities = await ports.table.getMany<EntityItem>(ids.map((id) => keys.entity(tenant, id)));
  const present = new Map(entities.map((entity) => [entity?.id, entity]));
  return relations.flatMap((relation) => {
    const [from, to] = [present.get(relation.from_entity_id), present.get(relation.to_entity_id)];
    return from && to ? [{ relation, from, to }] : [];
  });
}

const recordsOf = (visible: Visible<StoredRelation & Item>[]) =>
  visible.map(({ relation, from, to }) => ({ at: relation.sk, value: relationRecord(relation, from, to) }));
