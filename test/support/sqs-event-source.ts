import type { SQSRecord } from 'aws-lambda';
import { recordOf } from '#infra/local/feeds/consumers.ts';
import type { Received } from '#infra/local/feeds/queues.ts';
import { hiddenSeconds, queues as specs } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import type { BatchReply } from '#lib/platform/batch.ts';
import { type Lineage, NO_LINEAGE } from './lineage.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A message in the hand of a poller, with the chain of messages that led to it. */
export type InHand = Received & { lineage: Lineage };

export type SqsWorld = {
  clock: Pick<VirtualClock, 'now' | 'at'>;
  /**
   * Runs the function of the queue with a batch; never rejects.
   * @param records the batch, as the function is given it
   * @returns its answer; undefined when there is none, and the whole batch comes again
   */
  run(queue: QueueName, batch: InHand[], records: SQSRecord[]): Promise<BatchReply | undefined>;
  /** Pollers at the least and at the most, and how often one more is started while messages wait (ms). */
  pollers(queue: QueueName): { least: number; most: number; every_ms: number };
  /** How long a receive waits for a message; default: until there is one. */
  long_poll_ms?: number;
  /** Hears of each receive that brought nothing. */
  onIdle?(): void;
  /** Takes a batch out of the messages that wait; default: the oldest, as many as a batch takes. */
  take?(queue: QueueName, waiting: InHand[]): InHand[];
  /** Whether messages can be received now; call `wake` when they can again. Default: always. */
  isOpen?(): boolean;
  /** When a message that was not done can be received again; default: when its visibility time-out is over. */
  backAt?(queue: QueueName, received_at: number): number;
  /** Hears of each message that was not done at its last receive. */
  onDeadLetter?(queue: QueueName, message: InHand): void;
};

export type EventSource = ReturnType<typeof sqsEventSource>;

/**
 * An SQS queue with the event source that feeds its function, in virtual time. A poller receives in a long poll, which
 * ends with the first message that comes, or with as many of those that wait as a batch takes; it hands them to the
 * function, deletes what is done, and leaves what failed to come again. A message goes to a poller that waits before it
 * goes together with another one: so there are more receives than a crowded queue needs.
 */
export function sqsEventSource(queue: QueueName, world: SqsWorld) {
  const { clock, isOpen = () => true } = world;
  const { batch: size, max_receives } = specs[queue];
  const { take = (_, waiting) => waiting.splice(0, size) } = world;
  const { backAt = (_, received_at) => received_at + hiddenSeconds(queue) * 1000 } = world;
  const { least, most, every_ms } = world.pollers(queue);
  const waiting: InHand[] = [];
  const idle: ((batch: InHand[]) => void)[] = [];
  let pollers = 0;
  let sequence = 0;
  let grows = false;

  function receive(): Promise<InHand[]> {
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

  /** Gives what waits to pollers that are idle, and calls for more of them when there are too few. */
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

  /** One more poller each time that it looks, while messages wait for one. */
  function grow(): void {
    if (grows || pollers >= most) return;
    grows = true;
    clock.at(clock.now() + every_ms, () => {
      grows = false;
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
      if (pollers > least) break;
    }
    pollers--;
  }

  async function handOver(batch: InHand[]): Promise<void> {
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

  const arriveAt = (time: number, message: InHand): void =>
    clock.at(time, () => {
      waiting.push(message);
      serve();
    });

  return {
    /** Starts as many pollers as there are at the least; their polls do not end together. */
    start: (): void => {
      const apart = (world.long_poll_ms ?? 0) / least;
      for (let i = 0; i < least; i++) clock.at(clock.now() + i * apart, () => void poll());
    },
    /** @param at when it can be received */
    send: (body: string, at: number, lineage: Lineage = NO_LINEAGE): void => {
      const fresh = { group_id: '', receives: 0, first_received_at: 0 };
      arriveAt(at, { id: ++sequence, body, sent_at: clock.now(), lineage, ...fresh });
    },
    /** To be called when messages can be received again. */
    wake: serve,
  };
}

/** What a function gives back of its batch: all of it when it gave no answer, or named what it was not given. */
export function failedOf(names: readonly string[], reply: BatchReply | undefined): ReadonlySet<string> {
  const given = new Set(names);
  const failed = new Set(reply?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  return reply && failed.isSubsetOf(given) ? failed : given;
}
