import type { Scope } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { Write } from '#lib/platform/ports.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { countDependencies } from './dependency-count.ts';
import type { RelationPointer } from './relation.ts';
import { countRelations, type RelationCountItem } from './relation-count.ts';
import { pointerKeys } from './relation-store.ts';

/** Three deletes each, the other entity, and their count, in one transaction, which has at most 100 writes. */
const AT_ONCE = 24;

/**
 * Removes the relations of a deleted entity. They are hidden already, and no new one can follow: its id is never used
 * again. Nothing is done while the entity is there: the message goes out before the deletion, which then did not take
 * place. Repeatable.
 */
export async function reclaimRelations(scope: Scope, entityId: string): Promise<void> {
  const { ports, keys, tenant } = scope;
  if (await ports.table.get(keys.entity(tenant, entityId))) return;
  // Each round removes what it has read; a relation that goes by way of its other entity too is counted once.
  const round = async () => {
    const { items, next } = await ports.table.query<RelationPointer>({
      partition: keys.relationsOf(tenant, entityId),
      limit: AT_ONCE,
    });
    if (items.length === 0) return false;
    const others = new Set(
      items.map((one) => (one.from_entity_id === entityId ? one.to_entity_id : one.from_entity_id)),
    );
    const found = await ports.table.getMany<EntityItem>([...others].map((id) => keys.entity(tenant, id)));
    const present = found.filter((entity) => entity !== undefined);
    const count = await ports.table.get<RelationCountItem>(keys.relationCount(tenant));
    const outcome = await commit(ports, [
      ...items.flatMap((pointer): Write[] => [
        { delete: keys.relation(tenant, pointer.id), if: { version: pointer.v } },
        ...pointerKeys(scope, pointer).map((key) => ({ delete: key })),
      ]),
      ...countDependencies(ports, items, present, -1),
      countRelations(scope, count, -items.length),
    ]);
    return outcome.ok ? next !== undefined : AGAIN;
  };
  while (await untilDone(ports, round));
}
