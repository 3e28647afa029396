import { queues as allQueues } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';

/** SQS hands over ten messages at once without waiting for more. */
export const MAX_BATCH = 10;

/** What an event source of SQS may be bounded to. */
const MIN_BOUND = 2;
const MAX_BOUND = 1000;

/** Of CONCURRENCY, what all queues together may hold by waiting for others; the rest is for requests and short work. */
const WAITING_SHARE = 0.8;

/**
 * The MaximumConcurrency of each event source; undefined: none. Only those that wait for others need one, as the others
 * are done in a moment; and only in an account that has little. One with a bound always keeps five pollers, others two.
 * @param total Lambda's concurrency that is ours to use; undefined: as much as there is
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
