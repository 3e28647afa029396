import { createHash } from 'node:crypto';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type Handler, invoke } from '#infra/local/invoke.ts';
import { type FunctionName, hiddenSeconds, queues as specs } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import type { Clock, Log } from '#lib/platform/ports.ts';
import { tenantShare } from '#lib/platform/sharing/fair-semaphore.ts';
import { combineFeeds, type Feed } from './feeds.ts';
import type { LocalQueues, Received } from './queues.ts';

const FAILED_READ_PAUSE_MS = 1000;
/** Maximum wait for a message: setTimeout accepts at most 24 days, and the clock can be changed. */
const MAX_WAIT_MS = 3_600_000;

/** Poll interval for groups below their share while more messages are due than can be processed. */
const CROWDED_POLL_MS = 50;

type ConsumerEnv = {
  clock: Pick<Clock, 'now'>;
  log: Log;
  /** Resolves once the outage of a paused process is recorded (Liveness); work waits. Undefined without a pause. */
  afterPause?: () => Promise<void> | undefined;
};

/** Feeds every queue of the topology to its function, as SQS event sources do. */
export function startConsumers(
  queues: LocalQueues,
  handlers: Partial<Record<FunctionName, Handler>>,
  env: ConsumerEnv,
): Feed {
  const all = namesOf(specs).flatMap((queue) => {
    const handler = handlers[specs[queue].consumer];
    return handler ? [startConsumer(queue, queues, handler, env)] : [];
  });
  return combineFeeds(all);
}

/** Takes due messages in order of time. While they fill all slots, groups below their share get extra slots. */
function startConsumer(
  queue: QueueName,
  queues: LocalQueues,
  handler: Handler,
  { clock, log, afterPause }: ConsumerEnv,
): Feed {
  const { consumer, batch, concurrency } = specs[queue];
  const hideMs = hiddenSeconds(queue) * 1000;
  const slots = batch * concurrency;
  const share = tenantShare(slots);
  const inFlight = new Set<Promise<void>>();
  const groups = new Map<string, number>();
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

  /** Takes due messages until none is left or none fits. Each finished message calls `wake` again. */
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
        const received = await receive(slots - inFlight.size);
        for (const message of received) startWork(message);
        if (received.length === 0 && isCrowded) {
          // nextDue also counts messages of groups at their share, so it cannot show the next one of another group.
          timer = setTimeout(wake, CROWDED_POLL_MS);
          return;
        }
      }
    } catch (error) {
      log.error('queue read failed', { queue, error });
      if (!stopped) timer = setTimeout(wake, FAILED_READ_PAUSE_MS);
    } finally {
      // No await between the last read and this line, so that a wake after that read is not ignored.
      isTaking = false;
    }
  }

  async function receive(free: number): Promise<Received[]> {
    const fair = isCrowded ? await queues.receiveFairly(queue, free + share, hideMs, { groups, share }) : [];
    const remaining = free - fair.length;
    const rest = remaining > 0 ? await queues.receive(queue, remaining, hideMs) : [];
    isCrowded = rest.length >= remaining;
    return [...fair, ...rest];
  }

  function startWork(message: Received): void {
    const group = message.group_id;
    groups.set(group, (groups.get(group) ?? 0) + 1);
    const work = run(message).catch((error) => log.error('message not settled, will be retried', { queue, error }));
    inFlight.add(work);
    work.finally(() => {
      inFlight.delete(work);
      const left = groups.get(group)! - 1;
      if (left > 0) groups.set(group, left);
      else groups.delete(group);
      wake();
    });
  }

  async function run(message: Received): Promise<void> {
    const record = recordOf(queue, message);
    const isDone = await invoke<SQSEvent, SQSBatchResponse | undefined>(consumer, handler, { Records: [record] }).then(
      (reply) => (reply?.batchItemFailures ?? []).length === 0,
      (error) => {
        log.error('function failed on a message', { function: consumer, queue, error });
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
      await Promise.all(inFlight);
    },
  };
}

/** Converts a message to the record that SQS passes to a function. */
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
