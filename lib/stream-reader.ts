import { newImage, type StreamRecord, sequenceOf } from '#lib/aws/stream-record.ts';
import {
  type BatchReply,
  eachMessage,
  eachRecord,
  isFromQueue,
  type QueueRecord,
  retryBudgetOf,
} from '#lib/platform/batch.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { Env } from './env.ts';
import { LAST_RECEIVE, type MessageOf, messages } from './messages.ts';

const PARKED_MS = 5_000;

type OfCheck = Item & { tenant_id: string; check_id: string };

/**
 * Returns a handler of new items, from the table's stream or parked in `queue`. A failed item is parked, so that others
 * do not wait; if that fails, the stream retries. `isLast`: 20 minutes have passed, or no receive is left; if `work`
 * fails, it ends its pending work as failed.
 */
export function onInserted<T extends OfCheck>(
  { ports, keys }: Env,
  queue: 'notify' | 'plan',
  work: (item: T, isLast: boolean) => Promise<void>,
): (event: { Records: StreamRecord[] | QueueRecord[] }) => Promise<BatchReply> {
  async function workOrPark(item: T): Promise<void> {
    const { tenant_id, check_id, sk } = item;
    try {
      await work(item, false);
    } catch (error) {
      ports.log.warn('new item failed, parked for a retry', { queue, tenant_id, check_id, sk, error });
      const body: MessageOf<typeof queue> = { tenant_id, check_id, sk };
      await ports.queues.send(queue, [{ body, not_before: ports.clock.now() + PARKED_MS, group: tenant_id }]);
    }
  }

  async function workParked(parked: MessageOf<typeof queue>, isLast: boolean): Promise<void> {
    const { tenant_id, check_id, sk } = parked;
    const item = await ports.table.get<T>({ pk: keys.ofCheck(tenant_id, check_id), sk });
    if (item) await work(item, isLast);
    else ports.log.warn('parked item not found', { queue, ...parked });
  }

  return ({ Records }) =>
    isFromQueue(Records)
      ? eachMessage(ports.log, Records, (body, record) =>
          workParked(messages[queue].parse(body), retryBudgetOf(record, ports.clock, LAST_RECEIVE) !== 'more'),
        )
      : eachRecord(ports.log, Records, sequenceOf, (record) => workOrPark(newImage<T>(record)));
}
