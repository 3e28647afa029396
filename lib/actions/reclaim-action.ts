import type { Env } from '#lib/env.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { deleteAll, keysUnder } from '#lib/platform/table/reclaim.ts';
import type { RunPointer } from './execution.ts';

/** Runs that are read together, and freed side by side. */
const RUNS_A_PAGE = 50;
const AT_ONCE = 10;

/**
 * Removes the history of a deleted action: its runs and what was reported on them. Nothing is done while the action is
 * there: the message goes out before the deletion, which then did not take place. Repeatable.
 * @param signal aborted when the time of the function is over: what is left is for another message
 */
export async function reclaimAction(
  { ports, keys }: Env<'table' | 'queues' | 'clock' | 'ids'>,
  { tenant_id, action_id }: { tenant_id: string; action_id: string },
  signal?: AbortSignal,
): Promise<void> {
  if (await ports.table.get(keys.action(tenant_id, action_id))) return;
  const free = async ({ pk, sk, execution_id }: RunPointer): Promise<void> => {
    await deleteAll(ports, await keysUnder(ports, keys.ofExecution(tenant_id, execution_id)));
    // Last, since it alone names the execution: a crash before this leaves it for the next try.
    await deleteAll(ports, [{ pk, sk }]);
  };
  const runs = { partition: keys.runs(tenant_id, action_id), limit: RUNS_A_PAGE };
  for await (const items of pagesOf<RunPointer>(ports.table, runs)) {
    for (let from = 0; from < items.length; from += AT_ONCE) {
      await Promise.all(items.slice(from, from + AT_ONCE).map(free));
      if (!signal?.aborted) continue;
      return ports.queues.send('reclaim', [{ body: { tenant_id, action_id }, group: tenant_id }]);
    }
  }
}
