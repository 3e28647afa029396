import type { SQSRecord } from 'aws-lambda';
import { recordOf } from '#infra/local/feeds/consumers.ts';
import type { Received } from '#infra/local/feeds/queues.ts';
import { hiddenSeconds, queues as specs } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import type { BatchReply } from '#lib/platform/batch.ts';
import { type Lineage, NO_LINEAGE } from './lineage.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A message that waits in the queue or that a poller has received, with the chain of messages that led to it. */
export type QueuedMessage = Received & { lineage: Lineage };

export type SqsWorld = {
  clock: Pick<VirtualClock, 'now' | 'at'>;
  /**
   * Runs the function of the queue with a batch; never rejects.
   * @param records the batch in the format of the function
   * @returns its response; undefined if it has none and the whole batch is retried
   */
  run(queue: QueueName, batch: QueuedMessage[], records: SQSRecord[]): Promise<BatchReply | undefined>;
  /** Minimum and maximum number of pollers, and the time after which another is started while messages wait (ms). */
  pollers(queue: QueueName): { min: number; max: number; every_ms: number };
  /** Duration of a long poll (ms); default: unlimited. */
  long_poll_ms?: number;
  /** Called for each receive without a message. */
  onIdle?(): void;
  /** Takes a batch from the waiting messages; default: the oldest, up to the size of a batch. */
  take?(queue: QueueName, waiting: QueuedMessage[]): QueuedMessage[];
  /** Whether messages can be received now; call `wake` when that changes to true. Default: always. */
  isOpen?(): boolean;
  /** Time at which a failed message can be received again; default: the end of its visibility timeout. */
  backAt?(queue: QueueName, received_at: number): number;
  /** Called for each message that failed at its last receive. */
  onDeadLetter?(queue: QueueName, message: QueuedMessage): void;
};

export type EventSource = ReturnType<typeof sqsEventSource>;

/**
 * Simulates an SQS queue and the event source of its function in virtual time. A poller receives a batch of waiting
 * messages, or the first message that arrives during its long poll. It passes the batch to the function, deletes the
 * processed messages, and leaves failed ones to be received again. A message goes to an idle poller at once instead of
 * waiting for others to fill a batch, so a busy queue has more receives than necessary.
 */
export function sqsEventSource(queue: QueueName, world: SqsWorld) {
  const { clock, isOpen = () => true } = world;
  const { batch: size, max_receives } = specs[queue];
  const { take = (_, waiting) => waiting.splice(0, size) } = world;
  const { backAt = (_, received_at) => received_at + hiddenSeconds(queue) * 1000 } = world;
  const { min, max, every_ms } = world.pollers(queue);
  const waiting: QueuedMessage[] = [];
  const idle: ((batch: QueuedMessage[]) => void)[] = [];
  let pollers = 0;
  let sequence = 0;
  let isGrowing = false;

  function receive(): Promise<QueuedMessage[]> {
    return new Promise((resolve) => {
      idle.push(resolve);
      serve();
      const at = idle.indexOf(resolve);
      if (at < 0 || world.long_poll_ms === undefined) return;
      clock.at(clock.now() + world.long_poll_ms, () => {
        const still = idle.indexOf(resolve);
        if (still >= 0) idle.splice(still, 1)[0]!([]);
      });
    });
  }

  /** Gives waiting messages to idle pollers, and starts more pollers when there are too few. */
  function serve(): void {
    if (!isOpen()) return;
    while (idle.length > 0 && waiting.length > 0) {
      const batch = take(queue, waiting);
      for (const message of batch) {
        message.receives++;
        message.first_received_at ||= clock.now();
      }
      idle.shift()!(batch);
    }
    if (waiting.length > 0) grow();
  }

  /** Starts one more poller at each interval while messages wait. */
  function grow(): void {
    if (isGrowing || pollers >= max) return;
    isGrowing = true;
    clock.at(clock.now() + every_ms, () => {
      isGrowing = false;
      if (waiting.length > 0) void poll();
    });
  }

  async function poll(): Promise<void> {
    pollers++;
    for (;;) {
      const batch = await receive();
      if (batch.length > 0) {
        await handOver(batch);
        continue;
      }
      world.onIdle?.();
      if (pollers > min) break;
    }
    pollers--;
  }

  async function handOver(batch: QueuedMessage[]): Promise<void> {
    const received_at = clock.now();
    const records = batch.map((message) => recordOf(queue, message));
    const names = records.map(({ messageId }) => messageId);
    const failed = failedOf(names, await world.run(queue, batch, records));
    for (const [i, message] of batch.entries()) {
      if (!failed.has(names[i]!)) continue;
      if (message.receives >= max_receives) world.onDeadLetter?.(queue, message);
      else arriveAt(backAt(queue, received_at), message);
    }
  }

  const arriveAt = (time: number, message: QueuedMessage): void =>
    clock.at(time, () => {
      waiting.push(message);
      serve();
    });

  return {
    /** Starts the minimum number of pollers; their polls do not end together. */
    start: (): void => {
      const apart = (world.long_poll_ms ?? 0) / min;
      for (let i = 0; i < min; i++) clock.at(clock.now() + i * apart, () => void poll());
    },
    /** Sends a message. @param at earliest time at which it can be received */
    send: (body: string, at: number, lineage: Lineage = NO_LINEAGE): void => {
      const fresh = { group_id: '', receives: 0, first_received_at: 0 };
      arriveAt(at, { id: ++sequence, body, sent_at: clock.now(), lineage, ...fresh });
    },
    /** Call this when messages can be received again. */
    wake: serve,
  };
}

/** Returns the failed messages of a batch: all if there was no response, or if it named unknown ones. */
export function failedOf(names: readonly string[], reply: BatchReply | undefined): ReadonlySet<string> {
  const given = new Set(names);
  const failed = new Set(reply?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  return reply && failed.isSubsetOf(given) ? failed : given;
}
