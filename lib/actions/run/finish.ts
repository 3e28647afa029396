import type { ExecutionItem } from '#lib/actions/execution.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import type { RunEnv } from './claim.ts';
import { type Dispatched, notSent } from './send.ts';

/**
 * Writes down what became of a pending run, and answers the run as it then stands. A run that has ended stays as it
 * ended; what was reported meanwhile stays too. One whose action was deleted meanwhile is no longer kept.
 */
export function finish({ ports, keys }: RunEnv, claimed: ExecutionItem, end: Dispatched): Promise<ExecutionItem> {
  return untilDone(ports, async () => {
    const present = await ports.table.get<ExecutionItem>(keys.execution(claimed.tenant_id, claimed.id));
    if (!present) return { ...claimed, ...end, finished_at: iso(ports.clock.now()) };
    if (present.dispatch_status !== 'pending') return present;
    const next = { ...present, ...end, v: ports.ids.token(), finished_at: iso(ports.clock.now()) };
    const outcome = await commit(ports, [{ put: next, if: { version: present.v } }]);
    return outcome.ok ? next : AGAIN;
  });
}

/** The process that ran it died. How far it came is not known, so it is never sent again. */
export const interrupted = (env: RunEnv, execution: ExecutionItem): Promise<ExecutionItem> =>
  finish(env, execution, notSent('failed', 'interrupted: may have been sent'));
