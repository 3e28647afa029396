import type { Keys } from '#lib/keys.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { deleteAll, keysUnder } from '#lib/platform/reclaim.ts';
import type { RunPointer } from './execution.ts';

/** Runs whose storage one message frees; the rest is for the next one, so that no function runs long. */
const RUNS_A_MESSAGE = 50;

/**
 * Removes the history of a deleted action: its runs and what was reported on them. Nothing is done while the action is
 * there: the message goes out before the deletion, which then did not take place. Repeatable.
 */
export async function reclaimAction(
  ports: Pick<Ports, 'table' | 'queues' | 'clock' | 'ids'>,
  keys: Keys,
  { tenant_id, action_id }: { tenant_id: string; action_id: string },
): Promise<void> {
  if (await ports.table.get(keys.action(tenant_id, action_id))) return;
  const runs = await ports.table.query<RunPointer>({
    partition: keys.runs(tenant_id, action_id),
    limit: RUNS_A_MESSAGE,
  });
  for (const { pk, sk, execution_id } of runs.items) {
    await deleteAll(ports, await keysUnder(ports, keys.ofExecution(tenant_id, execution_id)));
    // Last, since it alone names the execution: a crash before this leaves it for the next try.
    await deleteAll(ports, [{ pk, sk }]);
  }
  if (runs.next !== undefined)
    await ports.queues.send('reclaim', [{ body: { tenant_id, action_id }, group: tenant_id }]);
}
