import type { Scope } from '#lib/access/context.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/retry.ts';
import type { RelationPointer } from './relation.ts';
import { pointerKeys } from './relation-store.ts';

/** Three deletes each, in one transaction, which has at most 100 writes. */
const AT_ONCE = 30;

/**
 * Removes the relations of a deleted entity, which nobody sees any more and no other can follow: its id is never used
 * again. Nothing is done while the entity is there: the message goes out before the deletion, which then did not take
 * place. Repeatable.
 */
export async function reclaimRelations(scope: Scope, entityId: string): Promise<void> {
  const { ports, keys, tenant } = scope;
  if (await ports.table.get(keys.entity(tenant, entityId))) return;
  let after: string | undefined;
  do {
    const { items, next } = await ports.table.query<RelationPointer>({
      partition: keys.relationsOf(tenant, entityId),
      limit: AT_ONCE,
      ...(after !== undefined && { after }),
    });
    const writes = items.flatMap((pointer) =>
      [keys.relation(tenant, pointer.id), ...pointerKeys(scope, pointer)].map((key) => ({ delete: key })),
    );
    if (writes.length > 0) await untilDone(ports, async () => ((await commit(ports, writes)).ok ? true : AGAIN));
    after = next;
  } while (after !== undefined);
}
