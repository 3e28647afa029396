import { createHash } from 'node:crypto';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type Handler, invoke } from '#infra/local/invoke.ts';
import { type FunctionName, hiddenSeconds, queues as specs } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import type { Clock, Log } from '#lib/platform/ports.ts';
import { tenantShare } from '#lib/platform/sharing/fair-semaphore.ts';
import { combineFeeds, type Feed } from './feeds.ts';
import type { LocalQueues, Received } from './queues.ts';

/** How long a consumer waits when the store did not answer it. */
const STORE_PAUSE_MS = 1000;
/** And at most so long for a message that is not due: setTimeout takes no more than 24 days, and a clock may be set. */
const MAX_WAIT_MS = 3_600_000;

/** While more is due than there are hands for, it is looked so often for those that hold less than their share. */
const CROWDED_LOOK_MS = 50;

type ConsumerEnv = {
  clock: Pick<Clock, 'now'>;
  log: Log;
  /** What must be over before work is taken, as the process was paused (SignOfLife). */
  afterPause?: () => Promise<void> | undefined;
};

/** Feeds every queue of the topology to its function, as SQS event sources do. */
export function startConsumers(
  queues: LocalQueues,
  handlers: Partial<Record<FunctionName, Handler>>,
  env: ConsumerEnv,
): Feed {
  const all = (Object.keys(specs) as QueueName[]).flatMap((queue) => {
    const handler = handlers[specs[queue].consumer];
    return handler ? [startConsumer(queue, queues, handler, env)] : [];
  });
  return combineFeeds(all);
}

/**
 * One queue. It rests until a send or the next due message wakes it, so an idle service does nothing. Each message is a
 * run of its own, so that a hand is free when its work ends. As long as there are hands for all that is due, they take
 * it in the order of time. Else groups that hold less than a share come first, and a share more hands are kept for
 * them: no tenant waits for the long work of another.
 */
function startConsumer(
  queue: QueueName,
  queues: LocalQueues,
  handler: Handler,
  { clock, log, afterPause }: ConsumerEnv,
): Feed {
  const { consumer, batch, concurrency } = specs[queue];
  const hideMs = hiddenSeconds(queue) * 1000;
  const hands = batch * concurrency;
  const share = tenantShare(hands);
  const inHand = new Set<Promise<void>>();
  /** Messages in hand, by group. */
  const groups = new Map<string, number>();
  /** Not all that was due could be taken. */
  let isCrowded = false;
  let taking = Promise.resolve();
  let isTaking = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function wake(): void {
    if (stopped || isTaking) return;
    isTaking = true;
    clearTimeout(timer);
    taking = take();
  }

  /** Goes on until nothing is due that it has a hand for. Whoever ends a message wakes it again. */
  async function take(): Promise<void> {
    try {
      while (!stopped) {
        const pause = afterPause?.();
        if (pause) {
          await pause;
          continue;
        }
        const due = queues.nextDue(queue);
        if (due === undefined) return;
        const wait = due - clock.now();
        if (wait > 0) {
          timer = setTimeout(wake, Math.min(wait, MAX_WAIT_MS));
          return;
        }
        const received = await receive(hands - inHand.size);
        for (const message of received) hold(message);
        if (received.length === 0 && isCrowded) {
          // What is not due yet of others is not seen behind all that waits.
          timer = setTimeout(wake, CROWDED_LOOK_MS);
          return;
        }
      }
    } catch (error) {
      log.error('a queue could not be read', { queue, error });
      if (!stopped) timer = setTimeout(wake, STORE_PAUSE_MS);
    } finally {
      // In the same turn as the last look: a wake that comes later finds it at rest.
      isTaking = false;
    }
  }

  async function receive(free: number): Promise<Received[]> {
    const fair = isCrowded ? await queues.receiveFairly(queue, free + share, hideMs, { groups, share }) : [];
    const left = free - fair.length;
    const rest = left > 0 ? await queues.receive(queue, left, hideMs) : [];
    isCrowded = rest.length >= left;
    return [...fair, ...rest];
  }

  function hold(message: Received): void {
    const group = message.group_id;
    groups.set(group, (groups.get(group) ?? 0) + 1);
    const work = run(message).catch((error) =>
      log.error('a message could not be settled and comes again', { queue, error }),
    );
    inHand.add(work);
    work.finally(() => {
      inHand.delete(work);
      const left = groups.get(group)! - 1;
      if (left > 0) groups.set(group, left);
      else groups.delete(group);
      wake();
    });
  }

  async function run(message: Received): Promise<void> {
    const record = recordOf(queue, message);
    const isDone = await invoke<SQSEvent, SQSBatchResponse | undefined>(consumer, handler, { Records: [record] }).then(
      (answer) => (answer?.batchItemFailures ?? []).length === 0,
      (error) => {
        log.error('a function failed with its message', { function: consumer, queue, error });
        return false;
      },
    );
    await queues.settle(queue, isDone ? [message] : [], isDone ? [] : [message]);
  }

  queues.onSend(queue, wake);
  wake();
  return {
    wake,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await taking;
      await Promise.all(inHand);
    },
  };
}

/** A message as SQS hands it to a function. */
export const recordOf = (queue: QueueName, message: Received): SQSRecord => ({
  messageId: `${queue}-${message.id}`,
  receiptHandle: `${message.id}:${message.receives}`,
  body: message.body,
  attributes: {
    ApproximateReceiveCount: String(message.receives),
    SentTimestamp: String(message.sent_at),
    SenderId: 'local',
    ApproximateFirstReceiveTimestamp: String(message.first_received_at),
  },
  messageAttributes: {},
  md5OfBody: createHash('md5').update(message.body).digest('hex'),
  eventSource: 'aws:sqs',
  eventSourceARN: `arn:aws:sqs:local:000000000000:${queue}`,
  awsRegion: 'local',
});
