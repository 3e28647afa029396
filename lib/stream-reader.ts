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

/** What is parked comes again after this time. */
const PARKED_MS = 5_000;

/** An item that lies under a check and never changes. */
type OfCheck = Item & { tenant_id: string; check_id: string };

/**
 * A function that works on each new item of its prefixes, from the table's stream. When that fails the item is parked
 * on `queue`, and comes again from there by itself, so that no other waits behind it; it is given back to the stream
 * only when it cannot be parked either.
 * @param work `isLast`: it is not given again; what it stands for must end as failed if this fails
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
      ports.log.warn('a new item was parked', { queue, tenant_id, check_id, sk, error });
      const body: MessageOf<typeof queue> = { tenant_id, check_id, sk };
      await ports.queues.send(queue, [{ body, not_before: ports.clock.now() + PARKED_MS, group: tenant_id }]);
    }
  }

  async function workParked(parked: MessageOf<typeof queue>, isLast: boolean): Promise<void> {
    const { tenant_id, check_id, sk } = parked;
    const item = await ports.table.get<T>({ pk: keys.ofCheck(tenant_id, check_id), sk });
    if (item) await work(item, isLast);
    else ports.log.warn('a parked item is gone', { queue, ...parked });
  }

  return ({ Records }) =>
    isFromQueue(Records)
      ? eachMessage(ports.log, Records, (body, record) =>
          workParked(messages[queue].parse(body), retryBudgetOf(record, ports.clock, LAST_RECEIVE) !== 'more'),
        )
      : eachRecord(ports.log, Records, sequenceOf, (record) => workOrPark(newImage<T>(record)));
}
