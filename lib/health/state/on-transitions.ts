import type { Env } from '#lib/env.ts';
import { LAST_RECEIVE, type MessageOf, messages } from '#lib/messages.ts';
import { newImage, type StreamRecord, sequenceOf } from '#lib/platform/aws/stream-record.ts';
import {
  type BatchReply,
  chanceOf,
  eachMessage,
  eachRecord,
  isFromQueue,
  type QueueRecord,
} from '#lib/platform/batch.ts';
import type { TransitionItem } from './transition-item.ts';

/** What is parked comes again after this time. */
const PARKED_MS = 5_000;

/**
 * A function that works on each new transition, from the table's stream. When that fails the transition is parked on
 * `queue`, and comes again from there by itself, so that no other waits behind it; it is given back to the stream only
 * when it cannot be parked either.
 * @param work `isLast`: it is not given again; what it stands for must end as failed if this fails
 */
export function onTransitions(
  { ports, keys }: Env,
  queue: 'notify' | 'plan',
  work: (transition: TransitionItem, isLast: boolean) => Promise<void>,
): (event: { Records: StreamRecord[] | QueueRecord[] }) => Promise<BatchReply> {
  async function workOrPark(transition: TransitionItem): Promise<void> {
    const { tenant_id, check_id, transition_id, sk } = transition;
    try {
      await work(transition, false);
    } catch (error) {
      ports.log.warn('a transition was parked', { queue, tenant_id, check_id, transition_id, error });
      const body: MessageOf<typeof queue> = { tenant_id, check_id, sk };
      await ports.queues.send(queue, [{ body, not_before: ports.clock.now() + PARKED_MS, group: tenant_id }]);
    }
  }

  async function workParked(parked: MessageOf<typeof queue>, isLast: boolean): Promise<void> {
    const { tenant_id, check_id, sk } = parked;
    const transition = await ports.table.get<TransitionItem>({ pk: keys.ofCheck(tenant_id, check_id), sk });
    if (transition) await work(transition, isLast);
    else ports.log.warn('a parked transition is gone', { queue, ...parked });
  }

  return ({ Records }) =>
    isFromQueue(Records)
      ? eachMessage(ports.log, Records, (body, record) =>
          workParked(messages[queue].parse(body), chanceOf(record, ports.clock, LAST_RECEIVE) !== 'more'),
        )
      : eachRecord(ports.log, Records, sequenceOf, (record) => workOrPark(newImage<TransitionItem>(record)));
}
