import { createHash } from 'node:crypto';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type FunctionName, hiddenSeconds, queues as specs } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import type { Clock, Log } from '#lib/platform/ports.ts';
import { type Feed, together } from './feeds.ts';
import { type Handler, invoke } from './invoke.ts';
import type { LocalQueues, Received } from './queues.ts';

/** How long a consumer waits when the store did not answer it. */
const STORE_PAUSE_MS = 1000;
/** And at most so long for a message that is not due: setTimeout takes no more than 24 days, and a clock may be set. */
const LONGEST_WAIT_MS = 3_600_000;

type World = {
  clock: Pick<Clock, 'now'>;
  log: Log;
  /** What must be over before work is taken, as the process was paused (SignOfLife). */
  afterPause?: () => Promise<void> | undefined;
};

/** Feeds every queue of the topology to its function, as SQS event sources do. */
export function startConsumers(
  queues: LocalQueues,
  handlers: Partial<Record<FunctionName, Handler>>,
  world: World,
): Feed {
  const all = (Object.keys(specs) as QueueName[]).flatMap((queue) => {
    const handler = handlers[specs[queue].consumer];
    return handler ? [startConsumer(queue, queues, handler, world)] : [];
  });
  return together(all);
}

/** One queue. It rests until a send or the next due message wakes it, so an idle service does nothing. */
function startConsumer(
  queue: QueueName,
  queues: LocalQueues,
  handler: Handler,
  { clock, log, afterPause }: World,
): Feed {
  const { consumer, batch, concurrency } = specs[queue];
  const hideMs = hiddenSeconds(queue) * 1000;
  const inHand = new Set<Promise<void>>();
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

  /** Goes on until nothing is due or its hands are full. Whoever ends a batch wakes it again. */
  async function take(): Promise<void> {
    try {
      while (!stopped && inHand.size < concurrency) {
        const pause = afterPause?.();
        if (pause) {
          await pause;
          continue;
        }
        const due = queues.nextDue(queue);
        if (due === undefined) return;
        const wait = due - clock.now();
        if (wait > 0) {
          timer = setTimeout(wake, Math.min(wait, LONGEST_WAIT_MS));
          return;
        }
        const received = await queues.receive(queue, batch * (concurrency - inHand.size), hideMs);
        for (let from = 0; from < received.length; from += batch) hold(received.slice(from, from + batch));
      }
    } catch (error) {
      log.error('a queue could not be read', { queue, error });
      if (!stopped) timer = setTimeout(wake, STORE_PAUSE_MS);
    } finally {
      // In the same turn as the last look: a wake that comes later finds it at rest.
      isTaking = false;
    }
  }

  function hold(messages: Received[]): void {
    const work = run(messages).catch((error) =>
      log.error('a batch could not be settled and comes again', { queue, error }),
    );
    inHand.add(work);
    work.finally(() => {
      inHand.delete(work);
      wake();
    });
  }

  async function run(messages: Received[]): Promise<void> {
    const records = messages.map((message) => recordOf(queue, message));
    const failed = await invoke<SQSEvent, SQSBatchResponse | undefined>(consumer, handler, { Records: records }).then(
      (answer) => failuresOf(records, answer),
      (error) => {
        log.error('a function failed with its whole batch', { function: consumer, queue, error });
        return new Set(records.map((record) => record.messageId));
      },
    );
    const isFailed = (_: Received, i: number) => failed.has(records[i]!.messageId);
    await queues.settle(
      queue,
      messages.filter((message, i) => !isFailed(message, i)),
      messages.filter(isFailed),
    );
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

/** Which records the answer names; all of them when it names one that was not in the batch, as Lambda has it. */
function failuresOf(records: SQSRecord[], answer: SQSBatchResponse | undefined): Set<string> {
  const sent = new Set(records.map((record) => record.messageId));
  const named = new Set((answer?.batchItemFailures ?? []).map((failure) => failure.itemIdentifier));
  return named.isSubsetOf(sent) ? named : sent;
}

const recordOf = (queue: QueueName, message: Received): SQSRecord => ({
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
