import { hiddenSeconds, queues as specs } from '#infra/topology.ts';
import type { Job, MessageOf, QueueName } from '#lib/messages.ts';
import type { BatchReply } from '#lib/platform/batch.ts';
import type { Message } from '#lib/platform/ports.ts';
import { type Lineage, NO_LINEAGE } from '#test/support/lineage.ts';
import type { Handlers, machines } from './machines.ts';
import { count, type JobRun, type Observations } from './observations.ts';
import type { Shared } from './process.ts';
import { runContext } from './run-context.ts';

type Waiting = {
  id: number;
  queue: QueueName;
  body: string;
  receives: number;
  first_received_at?: number;
  lineage: Lineage;
};
type BatchFunction = Exclude<keyof Handlers, 'api' | 'ingest' | 'mcp'>;

/** On one machine, how long a message that failed, or whose process died, stays away (ms). */
const [PAUSE_MIN_MS, PAUSE_MAX_MS] = [1000, 30_000];
/** A message that nobody can read. */
const POISON = { messageId: 'poison', body: '{"kind":"nonsense"}' };
/** How far ahead a message may be sent (ms), and how far the clock of its sender may be ahead. */
const AHEAD_MS = 15 * 60_000 + 5_000;

/** Queues that repeat, delay and reorder, and give again what failed and nothing else. */
export function virtualQueues(shared: Shared, invoke: ReturnType<typeof machines>['invoke'], isRunning: () => boolean) {
  const { random, clock, seen } = shared;
  const due = new Map<QueueName, Waiting[]>();
  let sequence = 0;

  function enqueue(message: Waiting, at: number): void {
    const late = random.chance(shared.profile.delay) ? random.int(500, 20_000) : random.int(0, 30);
    if (late > 30) count(seen, 'message late');
    clock.at(at + late, () => {
      const list = due.get(message.queue) ?? [];
      due.set(message.queue, list);
      list.push(message);
      // Messages come in no order.
      if (list.length > 1 && random.chance(0.3)) list.reverse();
      wake(message.queue);
    });
  }

  function send(queue: string, messages: Message[]): void {
    if (!(queue in specs)) throw new Error(`There is no queue ${queue}.`);
    const now = clock.now();
    const lineage = runContext.getStore()?.lineage ?? NO_LINEAGE;
    for (const { body, not_before } of messages) {
      if (not_before !== undefined && not_before > now + AHEAD_MS) throw new Error('At most 15 minutes ahead.');
      const text = JSON.stringify(body);
      for (const { check_id, slot } of jobsIn(queue, text)) seen.jobsSent.push({ check_id, slot, at: now });
      const copies = random.chance(shared.profile.duplicate) ? 2 : 1;
      if (copies > 1) count(seen, 'message twice');
      for (let i = 0; i < copies; i++) {
        const at = Math.max(now, not_before ?? now) + (i === 0 ? 0 : random.int(0, 30_000));
        enqueue({ id: ++sequence, queue: queue as QueueName, body: text, receives: 0, lineage }, at);
      }
    }
  }

  /** To take a message is to write that it was taken: on a full disk nobody can. */
  function wake(queue: QueueName): void {
    if (!isRunning() || shared.storeSpell() === 'disk full') return;
    const list = due.get(queue) ?? [];
    while (list.length > 0) void consume(queue, list.splice(0, random.int(1, specs[queue].batch)));
  }

  async function consume(queue: QueueName, batch: Waiting[]): Promise<void> {
    const received_at = clock.now();
    for (const message of batch) {
      message.receives++;
      message.first_received_at ??= received_at;
    }
    if (random.chance(shared.profile.unrun)) {
      count(seen, 'received and never run');
      for (const message of batch) giveAgain(message, received_at);
      return;
    }
    const runs: JobRun[][] = batch.map((message) =>
      jobsIn(queue, message.body).map(({ check_id, slot }) => ({ check_id, slot, began_at: clock.now() })),
    );
    seen.jobRuns.push(...runs.flat());
    const slots = batch.map((message) => slotOf(queue, message.body));
    for (const slot of slots) if (slot) seen.actionRuns.push(slot);
    const Records = batch.map(recordOf);
    const isPoisoned = random.chance(shared.profile.poison);
    if (isPoisoned) Records.splice(random.int(0, batch.length), 0, { ...recordOf(batch[0]!), ...POISON });

    const consumer = specs[queue].consumer as BatchFunction;
    const done = await invoke<BatchReply>(
      consumer,
      (handlers, context) => handlers[consumer]({ Records } as never, context),
      batch.map((message) => message.lineage),
    );
    const failed = done && new Set(done.reply.batchItemFailures.map((failure) => failure.itemIdentifier));
    if (failed) judgeReply(queue, batch, failed, isPoisoned);
    for (const [i, message] of batch.entries()) {
      if (failed && !failed.has(nameOf(message))) {
        for (const run of runs[i]!) run.done_at = clock.now();
        if (slots[i]) slots[i].done_at = clock.now();
      }
      settle(message, received_at, failed !== undefined && !failed.has(nameOf(message)));
    }
  }

  /** A message that cannot be read fails, and takes nobody along; a name that is not in the batch fails all of it. */
  function judgeReply(queue: QueueName, batch: Waiting[], failed: Set<string>, isPoisoned: boolean): void {
    const known = new Set([...batch.map(nameOf), ...(isPoisoned ? [POISON.messageId] : [])]);
    if (!failed.isSubsetOf(known)) seen.batches.push(`${queue}: ${[...failed]} are not all of ${[...known]}`);
    const wellFailed = [...failed].filter((name) => name !== POISON.messageId).length;
    if (wellFailed > 0 && wellFailed < batch.length) count(seen, 'part of a batch failed');
    if (!isPoisoned) return;
    count(seen, 'message that nobody can read');
    if (!failed.has(POISON.messageId)) seen.batches.push(`${queue}: swallowed a message that nobody can read`);
    if (wellFailed > 0 && shared.profile.quiet) seen.batches.push(`${queue}: one bad message took ${wellFailed} along`);
  }

  /** One that cannot be settled is away until it is not hidden any more. */
  function settle(message: Waiting, received_at: number, isDone: boolean): void {
    if (shared.storeSpell() === 'disk full') enqueue(message, visibleAt(message, received_at));
    else if (!isDone) giveAgain(message, received_at);
  }

  const visibleAt = ({ queue }: Waiting, received_at: number) => received_at + hiddenSeconds(queue) * 1000;

  /** SQS gives a message again when it is not hidden any more, one machine sooner. */
  function giveAgain(message: Waiting, received_at: number): void {
    if (message.receives < specs[message.queue].max_receives) {
      const pause = random.int(PAUSE_MIN_MS, PAUSE_MAX_MS);
      enqueue(message, shared.profile.oneProcess ? clock.now() + pause : visibleAt(message, received_at));
      return;
    }
    count(seen, `dead letter ${message.queue}`);
    seen.jobsDead.push(...jobsIn(message.queue, message.body));
  }

  return {
    send,
    wakeAll: (): void => {
      for (const queue of due.keys()) wake(queue);
    },
  };
}

const nameOf = ({ id }: Waiting): string => `m${id}`;

const recordOf = (message: Waiting) => ({
  messageId: nameOf(message),
  body: message.body,
  attributes: {
    ApproximateReceiveCount: String(message.receives),
    ApproximateFirstReceiveTimestamp: String(message.first_received_at),
  },
});

function jobsIn(queue: string, body: string): { check_id: string; slot: number }[] {
  if (queue === 'job') return (JSON.parse(body) as { jobs: Job[] }).jobs;
  return queue === 'slow' ? (JSON.parse(body) as { slow_jobs: Job[] }).slow_jobs : [];
}

function slotOf(queue: string, body: string): Observations['actionRuns'][number] | undefined {
  const run = queue === 'action' ? (JSON.parse(body) as MessageOf<'action'>) : undefined;
  return run?.kind === 'schedule' ? { action_id: run.action_id, slot: run.slot } : undefined;
}
