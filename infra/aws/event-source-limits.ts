import { queues as allQueues } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';

export const MAX_BATCH = 10;

/** Bounds of MaximumConcurrency. */
const MIN_BOUND = 2;
const MAX_BOUND = 1000;

/** Share of CONCURRENCY for all queues that wait for external servers; the rest is for requests and short work. */
const WAITING_SHARE = 0.8;

/**
 * Returns the MaximumConcurrency of each event source; undefined: no bound. Only queues that wait for external servers
 * need one, and only with little concurrency. An event source with a bound keeps five pollers, others two.
 * @param total Lambda concurrency that the stack may use; undefined: all of the account
 */
export function boundsOf(
  total: number | undefined,
  queues: Record<string, { concurrency: number; waits?: true }> = allQueues,
): Partial<Record<QueueName, number>> {
  if (total === undefined) return {};
  const waiting = Object.entries(queues).filter(([, { waits }]) => waits);
  const sum = waiting.reduce((all, [, { concurrency }]) => all + concurrency, 0);
  const left = Math.max(0, WAITING_SHARE * total - MIN_BOUND * waiting.length);
  const bounds = waiting.flatMap(([name, { concurrency }]) => {
    const share = MIN_BOUND + Math.floor((left * concurrency) / sum);
    return share > MAX_BOUND ? [] : [[name, share]];
  });
  return Object.fromEntries(bounds);
}
