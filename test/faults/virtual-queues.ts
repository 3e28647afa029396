import type { SQSRecord } from 'aws-lambda';
import { hiddenSeconds, queues as specs } from '#infra/topology.ts';
import type { Job, MessageOf, QueueName } from '#lib/messages.ts';
import { type BatchReply, serializeMessage } from '#lib/platform/batch.ts';
import type { Message } from '#lib/platform/ports.ts';
import { type QueuedMessage, type SqsWorld, sqsEventSource } from '#test/support/sqs-event-source.ts';
import type { Handlers, machines } from './machines.ts';
import { count, type JobProcessed, type Observations } from './observations.ts';
import type { Shared } from './process.ts';
import { runContext } from './run-context.ts';

type BatchFunction = Exclude<keyof Handlers, 'api' | 'ingest' | 'tester' | 'mcp' | 'public'>;

/** Bounds of the time for which one machine hides a message that failed, or whose process crashed (ms). */
const [PAUSE_MIN_MS, PAUSE_MAX_MS] = [1000, 30_000];
/** An unreadable message. */
const POISON = { messageId: 'poison', body: '{"kind":"nonsense"}' };
/**
 * Maximum rate of duplicate messages to publishers. A message that arrives while a publisher works is sent again, and
 * so is each of its duplicates. At a higher rate, they would multiply.
 */
const MAX_PUBLISH_DUPLICATE = 0.02;
/** Maximum time by which the clock of a sender is ahead (ms). */
const AHEAD_MS = 5_000;

/** Creates queues that duplicate, delay and reorder messages, and that retry only failed ones. */
export function virtualQueues(shared: Shared, invoke: ReturnType<typeof machines>['invoke'], isRunning: () => boolean) {
  const { random, clock, seen } = shared;
  const isFull = () => shared.storeSpell() === 'disk full';

  const world: SqsWorld = {
    clock,
    run,
    // As many as the waiting messages need.
    pollers: () => ({ min: 0, max: Number.POSITIVE_INFINITY, every_ms: 0 }),
    take: (queue, waiting) => {
      // Messages are unordered.
      if (waiting.length > 1 && random.chance(0.3)) waiting.reverse();
      return waiting.splice(0, random.int(1, specs[queue].batch));
    },
    // Receiving a message is a write, so it is impossible on a full disk.
    isOpen: () => isRunning() && !isFull(),
    // One machine retries a message sooner than SQS. On a full disk it cannot return the message, which stays hidden.
    backAt: (queue, received_at) =>
      perhapsLate(
        shared.profile.oneProcess && !isFull()
          ? clock.now() + random.int(PAUSE_MIN_MS, PAUSE_MAX_MS)
          : received_at + hiddenSeconds(queue) * 1000,
      ),
    onDeadLetter: (queue, { body }) => {
      count(seen, `dead letter ${queue}`);
      seen.jobsDead.push(...jobsIn(queue, body));
    },
  };
  const sources = new Map(Object.keys(specs).map((name) => [name, sqsEventSource(name as QueueName, world)]));

  function perhapsLate(at: number): number {
    if (!random.chance(shared.profile.delay)) return at + random.int(0, 30);
    count(seen, 'message late');
    return at + random.int(500, 20_000);
  }

  /** Returns the delay of a duplicate (ms): it arrives while the message is processed, or long after. */
  const duplicateDelay = (): number => random.int(0, random.pick([100, 30_000]));

  function send(queue: string, messages: Message[]): void {
    const source = sources.get(queue);
    if (!source) throw new Error(`Unknown queue: ${queue}.`);
    const now = clock.now();
    const { duplicate } = shared.profile;
    const rate = queue === 'publish' ? Math.min(duplicate, MAX_PUBLISH_DUPLICATE) : duplicate;
    for (const message of messages) {
      const { text } = serializeMessage(message, now + AHEAD_MS);
      for (const job of jobsIn(queue, text)) seen.jobsSent.push({ ...job, at: now });
      const copies = random.chance(rate) ? 2 : 1;
      if (copies > 1) count(seen, 'message twice');
      for (let i = 0; i < copies; i++) {
        const at = Math.max(now, message.not_before ?? now) + (i === 0 ? 0 : duplicateDelay());
        source.send(text, perhapsLate(at), runContext.getStore()?.lineage);
      }
    }
  }

  async function run(queue: QueueName, batch: QueuedMessage[], records: SQSRecord[]): Promise<BatchReply | undefined> {
    if (random.chance(shared.profile.unrun)) {
      count(seen, 'received and never run');
      return undefined;
    }
    const jobs: JobProcessed[][] = batch.map(({ body }) =>
      jobsIn(queue, body).map((job) => ({ ...job, began_at: clock.now() })),
    );
    seen.jobsProcessed.push(...jobs.flat());
    const slots = batch.map(({ body }) => slotOf(queue, body));
    for (const slot of slots) if (slot) seen.actionRuns.push(slot);
    const isPoisoned = random.chance(shared.profile.poison);
    const Records = [...records];
    if (isPoisoned) Records.splice(random.int(0, batch.length), 0, { ...records[0]!, ...POISON });

    const consumer = specs[queue].consumer as BatchFunction;
    const done = await invoke<BatchReply>(
      consumer,
      (handlers, context) => handlers[consumer]({ Records }, context),
      batch.map(({ lineage }) => lineage),
    );
    if (!done) return undefined;
    const ids = records.map(({ messageId }) => messageId);
    const failed = new Set(done.reply.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    checkReply(queue, ids, failed, isPoisoned);
    for (const [i, id] of ids.entries()) {
      if (failed.has(id)) continue;
      for (const job of jobs[i]!) job.done_at = clock.now();
      if (slots[i]) slots[i].done_at = clock.now();
    }
    failed.delete(POISON.messageId);
    return isFull() ? undefined : { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
  }

  /**
   * Records incorrect responses: an id that is not in the batch, an unreadable message that is not reported as failed,
   * and in quiet runs a readable message that fails with it.
   */
  function checkReply(queue: QueueName, ids: string[], failed: Set<string>, isPoisoned: boolean): void {
    const known = new Set([...ids, ...(isPoisoned ? [POISON.messageId] : [])]);
    if (!failed.isSubsetOf(known))
      seen.batchErrors.push(`${queue}: ${[...failed]} are not all in the batch ${[...known]}`);
    const readableFailed = [...failed].filter((id) => id !== POISON.messageId).length;
    if (readableFailed > 0 && readableFailed < ids.length) count(seen, 'part of a batch failed');
    if (!isPoisoned) return;
    count(seen, 'unreadable message');
    if (!failed.has(POISON.messageId)) seen.batchErrors.push(`${queue}: did not report an unreadable message`);
    if (readableFailed > 0 && shared.profile.quiet)
      seen.batchErrors.push(`${queue}: one unreadable message made ${readableFailed} others fail`);
  }

  return {
    send,
    wakeAll: (): void => {
      for (const { wake } of sources.values()) wake();
    },
  };
}

function jobsIn(queue: string, body: string): Job[] {
  if (queue === 'job') return (JSON.parse(body) as { jobs: Job[] }).jobs;
  return queue === 'slow' ? (JSON.parse(body) as { slow_jobs: Job[] }).slow_jobs : [];
}

function slotOf(queue: string, body: string): Observations['actionRuns'][number] | undefined {
  const run = queue === 'action' ? (JSON.parse(body) as MessageOf<'action'>) : undefined;
  return run?.kind === 'schedule' ? { action_id: run.action_id, slot: run.slot } : undefined;
}
