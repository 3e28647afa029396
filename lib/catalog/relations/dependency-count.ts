import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { Ports, Write } from '#lib/platform/ports.ts';
import type { StoredRelation } from './relation.ts';

/**
 * The writes by which the two entities of each relation that carries failure count it, or do so no more. None for an
 * entity whose counts stay.
 * @param entities those that are there, as they were read; each is held to that version
 */
export const countDependencies = (
  { ids }: Pick<Ports, 'ids'>,
  relations: readonly StoredRelation[],
  entities: readonly EntityItem[],
  step: 1 | -1,
): Write[] =>
  entities.flatMap((entity) => {
    const carrying = relations.filter((relation) => relation.carries_failure);
    const out = carrying.filter((relation) => relation.from_entity_id === entity.id).length;
    const into = carrying.filter((relation) => relation.to_entity_id === entity.id).length;
    if (out + into === 0) return [];
    const put: EntityItem = {
      ...entity,
      v: ids.token(),
      dependencies: entity.dependencies + step * out,
      dependents: entity.dependents + step * into,
    };
    return [{ put, if: { version: entity.v } }];
  });
