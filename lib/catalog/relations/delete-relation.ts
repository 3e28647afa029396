import { auditing } from '#lib/access/auditing.ts';
import type { Changing, TenantEnv } from '#lib/access/context.ts';
import { WRITTEN_MS, wakeMessage } from '#lib/messages.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { countDependencies } from './dependency-count.ts';
import { auditedRelation } from './relation.ts';
import { countRelations, type RelationCountItem } from './relation-count.ts';
import { pointerKeys, requireRelation } from './relation-store.ts';

/**
 * From its return on, the relation is gone and may be made anew. What it explained is looked at again. Throws
 * NOT_FOUND.
 */
export async function deleteRelation(scope: TenantEnv & Changing, id: string): Promise<void> {
  const { ports, keys, tenant } = scope;
  const note = auditing(scope, 'delete', auditedRelation);
  await untilDone(ports, async () => {
    const { relation, from, to } = await requireRelation(scope, id);
    const count = await ports.table.get<RelationCountItem>(keys.relationCount(tenant));
    const now = ports.clock.now();
    const wakes = relation.carries_failure;
    if (wakes) await ports.queues.send('deadline', [wakeMessage(tenant, now, WRITTEN_MS)]);
    const outcome = await commit(ports, [
      // On its version: when it was deleted meanwhile, the pointers may be those of its successor.
      { delete: keys.relation(tenant, id), if: { version: relation.v } },
      ...pointerKeys(scope, relation).map((key) => ({ delete: key })),
      ...countDependencies(ports, [relation], [from, to], -1),
      countRelations(scope, count, -1),
      ...note(relation, undefined),
    ]);
    if (!outcome.ok) return AGAIN;
    if (wakes) await ports.queues.send('deadline', [wakeMessage(tenant, now)]);
    return true;
  });
}
