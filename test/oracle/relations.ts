import type { EntityItem } from '#lib/catalog/entity.ts';
import type { StoredRelation } from '#lib/catalog/relations/relation.ts';
import type { Inside } from './inside.ts';

/**
 * Promise: each relation is stored at both of its entities, and each entity counts its relations that propagate
 * failure; relations are deleted with their entities.
 */
export function checkRelations({ seen, keys }: Inside): string[] {
  const wrong: string[] = [];
  const items = [...seen.table.values()];
  const relations = items.filter(({ pk }) => pk.includes('#RELATIONS#')) as unknown as (StoredRelation & {
    pk: string;
  })[];
  const entities = items.filter((item): item is EntityItem => item.pk.includes('#ENTITIES#'));
  const ids = new Set(entities.map(({ id }) => id));
  const gaveUp = seen.faults['dead letter housekeeping'] !== undefined;
  let pointers = 0;
  for (const { pk, ...one } of relations) {
    const { id, from_entity_id: from, to_entity_id: to, relation_type: type } = one;
    const tenant = pk.split('#')[1]!;
    for (const key of [keys.relationOut(tenant, from, type, to), keys.relationIn(tenant, to, type, from)]) {
      const pointer = seen.table.get(`${key.pk}|${key.sk}`) as unknown as StoredRelation | undefined;
      if (pointer?.id === id) pointers++;
      else wrong.push(`relation ${id} is missing at ${key.pk}`);
    }
    if (!gaveUp && !(ids.has(from) && ids.has(to))) wrong.push(`relation ${id} outlived its entity`);
  }
  const all = items.filter(({ pk }) => pk.includes('#RELATED#')).length;
  if (all !== pointers) wrong.push(`${all - pointers} pointers have no relation`);
  const carrying = relations.filter(({ propagates_failure }) => propagates_failure);
  for (const { id, dependencies, dependents } of entities) {
    const out = carrying.filter(({ from_entity_id }) => from_entity_id === id).length;
    const into = carrying.filter(({ to_entity_id }) => to_entity_id === id).length;
    if (dependencies !== out) wrong.push(`entity ${id} counts ${dependencies} dependencies but has ${out}`);
    if (dependents !== into) wrong.push(`entity ${id} counts ${dependents} dependents but has ${into}`);
  }
  return wrong;
}
