import type { TenantScope } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { RELATED_OUT, under } from '#lib/keys.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import type { Item, Key } from '#lib/platform/ports.ts';
import { allOf, queryMerged } from '#lib/platform/table/pages.ts';
import {
  type Failure,
  type Relation,
  type RelationItem,
  type RelationPointer,
  relationRecord,
  type StoredRelation,
} from './relation.ts';

/**
 * Items of relations and how they are read, all strongly:
 *
 * | pattern                        | request                                                                |
 * |--------------------------------|------------------------------------------------------------------------|
 * | a relation by its id           | get relation(id), then get many entity(id) of its two                   |
 * | is there one of a type between | get relationOut(from, type, to)                                        |
 * | relations of a tenant          | query its buckets, merged, oldest first; then get many entity(id)      |
 * | relations of an entity         | query relationsOf(entity), then get many entity(id) of the others      |
 *
 * Deleting an entity leaves its relations to the reclaimer; readers hide them from that moment, by the entity.
 */

type Ends = Pick<StoredRelation, 'from_entity_id' | 'to_entity_id' | 'relation_type'>;

/** The pointer of a relation at its start, and the one at its end. */
export const pointerKeys = ({ keys, tenant }: Pick<TenantScope, 'keys' | 'tenant'>, ends: Ends): [Key, Key] => {
  const { from_entity_id: from, to_entity_id: to, relation_type: type } = ends;
  return [keys.relationOut(tenant, from, type, to), keys.relationIn(tenant, to, type, from)];
};

/** A relation with its entities, which are both there. Throws NOT_FOUND. */
export async function requireRelation(scope: TenantScope, id: string): Promise<Visible<RelationItem>> {
  const { ports, keys, tenant } = scope;
  const relation = await ports.table.get<RelationItem>(keys.relation(tenant, id));
  const [visible] = relation ? await withEntities(scope, [relation]) : [];
  if (!visible) throw notFound(`Relation ${id}`);
  return visible;
}

/** Relations as the API shows them, oldest first. */
export const relationList =
  (scope: TenantScope): Reader<Relation> =>
  async (after, limit) => {
    const { ports, keys, tenant } = scope;
    const { items, next } = await queryMerged<RelationItem>(
      ports.table,
      keys.buckets.map((bucket) => keys.relations(tenant, bucket)),
      { limit, after },
    );
    return { found: shown(await withEntities(scope, items)), next };
  };

/** The relations that lead to an entity and those that start at it, by type. */
export const relationsOfEntity =
  (scope: TenantScope, entity: string): Reader<Relation> =>
  async (after, limit) => {
    const { ports, keys, tenant } = scope;
    const partition = keys.relationsOf(tenant, entity);
    const { items, next } = await ports.table.query<RelationPointer>({ partition, limit, after });
    return { found: shown(await withEntities(scope, items)), next };
  };

/** The relations that start at an entity. */
export const relationsFrom = ({ ports, keys, tenant }: TenantScope, entity: string): Promise<RelationPointer[]> =>
  allOf<RelationPointer>(ports.table, { partition: keys.relationsOf(tenant, entity), ...under(RELATED_OUT) });

/** How many relations of an entity are of a group, where that matters. */
export async function membersOfGroup(
  scope: TenantScope,
  entity: string,
  { group, required }: Failure,
): Promise<number> {
  if (required === null) return 0;
  return (await relationsFrom(scope, entity)).filter((relation) => relation.group === group).length;
}

/** A relation between two entities that are there. */
type Visible<T extends StoredRelation> = { relation: T; from: EntityItem; to: EntityItem };

/** Those of which both entities are there, with these. */
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

const shown = (visible: Visible<StoredRelation & Item>[]) =>
  visible.map(({ relation, from, to }) => ({ at: relation.sk, value: relationRecord(relation, from, to) }));
