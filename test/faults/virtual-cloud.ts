import { marshall } from '@aws-sdk/util-dynamodb';
import { create as createActionPlanner } from '#functions/action-planner.ts';
import { create as createActionRunner } from '#functions/action-runner.ts';
import { create as createApi } from '#functions/api.ts';
import { create as createDeliverer } from '#functions/deliverer.ts';
import { create as createGenerator } from '#functions/generator.ts';
import { create as createIngest } from '#functions/ingest.ts';
import { create as createNotifier } from '#functions/notifier.ts';
import { create as createProber } from '#functions/prober.ts';
import { create as createReclaimer } from '#functions/reclaimer.ts';
import { queues as specs, streams } from '#infra/topology.ts';
import type { Job, MessageOf, QueueName } from '#lib/messages.ts';
import type { ApiEvent, ApiResult } from '#lib/platform/api-event.ts';
import type { BatchReply } from '#lib/platform/batch.ts';
import { hash32 } from '#lib/platform/ids.ts';
import type { Item, Message } from '#lib/platform/ports.ts';
import { count, type JobRun, type Observations } from './observations.ts';
import { type Process, type Shared, startProcess } from './process.ts';

type Waiting = { id: number; queue: QueueName; body: string; receives: number };
type StreamShard = {
  reader: 'notifier' | 'action-planner';
  shard: number;
  records: Item[];
  from: number;
  busy: boolean;
};

const handlersOf = ({ ports }: Process) => ({
  api: createApi(ports),
  ingest: createIngest(ports),
  generator: createGenerator(ports),
  prober: createProber(ports),
  notifier: createNotifier(ports),
  deliverer: createDeliverer(ports),
  reclaimer: createReclaimer(ports),
  'action-planner': createActionPlanner(ports),
  'action-runner': createActionRunner(ports),
});
type Handlers = ReturnType<typeof handlersOf>;
type Begun = { process: Process; handlers: Handlers };
type BatchFunction = Exclude<keyof Handlers, 'api' | 'ingest'>;

/** How long a message that failed, or whose process died, stays away (ms). */
const [PAUSE_MIN_MS, PAUSE_MAX_MS] = [1000, 40_000];
const STREAM_SHARDS = 2;

/** Runs the functions: queues that repeat, delay and reorder, a change stream that replays, processes that die. */
export function virtualCloud(shared: Shared) {
  const { random, clock, seen } = shared;
  const due = new Map<QueueName, Waiting[]>();
  const shards: StreamShard[] = streams.flatMap(({ function: reader }) =>
    Array.from({ length: STREAM_SHARDS }, (_, shard) => ({
      reader: reader as StreamShard['reader'],
      shard,
      records: [],
      from: 0,
      busy: false,
    })),
  );
  const alive = new Set<Process>();
  let sequence = 0;
  let running = true;
  let one: Begun | undefined;
  let idle: Begun[] = [];

  function begin(): Begun {
    if (shared.profile.oneProcess && one && !one.process.dead) return one;
    idle = idle.filter(({ process }) => !process.dead);
    const warm = idle.pop();
    if (warm) return warm;
    const process = startProcess(shared);
    alive.add(process);
    process.onDeath(() => alive.delete(process));
    const begun = { process, handlers: handlersOf(process) };
    if (shared.profile.oneProcess) {
      one = begun;
      process.onDeath(restart);
    }
    return begun;
  }

  /** The process of one machine died: nothing runs until its supervisor has started another, which notes the gap. */
  function restart(): void {
    if (!running) return;
    running = false;
    const from = clock.now();
    clock.at(from + random.int(300, 5000), () => resume(from));
  }

  /** @param from when it stood still, as its last sign of life says */
  async function resume(from: number): Promise<void> {
    const outage = { from, to: clock.now() };
    seen.outages.push(outage);
    await shared.noteOutage(outage);
    running = true;
    for (const queue of due.keys()) wake(queue);
    for (const shard of shards) readOn(shard);
  }

  /** Runs a function once. Undefined when its process died, or it threw. */
  function invoke<T>(run: (handlers: Handlers) => Promise<T>): Promise<{ reply: T; process: Process } | undefined> {
    const begun = begin();
    const { process, handlers } = begun;
    return new Promise((resolve) => {
      process.onDeath(() => resolve(undefined));
      run(handlers)
        .then(
          (reply) => resolve(process.dead ? undefined : { reply, process }),
          () => resolve(undefined),
        )
        .finally(() => {
          if (shared.profile.oneProcess || process.dead) return;
          if (shared.profile.warm) idle.push(begun);
          else alive.delete(process);
        });
    });
  }

  function enqueue(message: Waiting, at: number): void {
    const late = random.chance(shared.profile.delay) ? random.int(500, 20_000) : random.int(0, 30);
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
    for (const { body, not_before } of messages) {
      if (not_before !== undefined && not_before > now + 15 * 60_000) throw new Error('At most 15 minutes ahead.');
      const text = JSON.stringify(body);
      for (const { check_id, slot } of jobsIn(queue, text)) seen.jobsSent.push({ check_id, slot, at: now });
      const copies = random.chance(shared.profile.duplicate) ? 2 : 1;
      if (copies > 1) count(seen, 'message twice');
      for (let i = 0; i < copies; i++) {
        const at = Math.max(now, not_before ?? now) + (i === 0 ? 0 : random.int(0, 30_000));
        enqueue({ id: ++sequence, queue: queue as QueueName, body: text, receives: 0 }, at);
      }
    }
  }

  function wake(queue: QueueName): void {
    if (!running) return;
    const list = due.get(queue) ?? [];
    while (list.length > 0) void consume(queue, list.splice(0, random.int(1, specs[queue].batch)));
  }

  async function consume(queue: QueueName, batch: Waiting[]): Promise<void> {
    for (const message of batch) message.receives++;
    const runs: JobRun[][] = batch.map((message) =>
      jobsIn(queue, message.body).map(({ check_id, slot }) => ({ check_id, slot, began_at: clock.now() })),
    );
    seen.jobRuns.push(...runs.flat());
    const slots = batch.map((message) => slotOf(queue, message.body));
    for (const slot of slots) if (slot) seen.actionRuns.push(slot);
    const Records = batch.map((message) => ({
      messageId: `m${message.id}`,
      body: message.body,
      attributes: { ApproximateReceiveCount: String(message.receives) },
    }));
    const done = await invoke<BatchReply>((handlers) =>
      handlers[specs[queue].consumer as BatchFunction]({ Records } as never),
    );
    const failed = new Set(done?.reply.batchItemFailures.map((failure) => failure.itemIdentifier));
    for (const [i, message] of batch.entries()) {
      if (done && !failed.has(`m${message.id}`)) {
        for (const run of runs[i]!) run.done_at = clock.now();
        if (slots[i]) slots[i].done_at = clock.now();
      } else giveAgain(message);
    }
  }

  function giveAgain(message: Waiting): void {
    if (message.receives < specs[message.queue].max_receives) {
      enqueue(message, clock.now() + random.int(PAUSE_MIN_MS, PAUSE_MAX_MS));
      return;
    }
    count(seen, `dead letter ${message.queue}`);
    seen.jobsDead.push(...jobsIn(message.queue, message.body));
  }

  /** For the table: a new item, which may be a change that somebody reads. */
  function inserted(item: Item): void {
    if (!streams.some((stream) => item.sk.startsWith(stream.sk_prefix))) return;
    for (const shard of shards) {
      if (shard.shard !== hash32(item.pk) % STREAM_SHARDS) continue;
      shard.records.push(item);
      clock.at(clock.now() + random.int(5, 400), () => readOn(shard));
    }
  }

  /** A shard's next batch; behind it the next. What failed comes again together with all that followed it. */
  async function readOn(shard: StreamShard): Promise<void> {
    if (!running || shard.busy || shard.from >= shard.records.length) return;
    shard.busy = true;
    const from = shard.from;
    const items = shard.records.slice(from, from + random.int(1, 10));
    const Records = items.map((item, i) => ({
      eventName: 'INSERT',
      dynamodb: { SequenceNumber: String(from + i), NewImage: marshall(item, { removeUndefinedValues: true }) },
    }));
    // Order holds per item only, and every item is inserted once.
    if (random.chance(0.5)) Records.reverse();
    const done = await invoke<BatchReply>((handlers) => handlers[shard.reader]({ Records } as never));
    const failures = (done?.reply.batchItemFailures ?? []).map((failure) => Number(failure.itemIdentifier));
    const next = !done ? from : failures.length > 0 ? Math.min(...failures) : from + items.length;
    const again = next > from && random.chance(shared.profile.duplicate);
    if (again) count(seen, 'stream batch twice');
    shard.from = again ? from : next;
    shard.busy = false;
    clock.at(clock.now() + (next > from ? 5 : random.int(100, 5000)), () => readOn(shard));
  }

  return {
    send,
    inserted,
    /** A request to the API; undefined when its process died. Throws nothing. */
    request: async (event: ApiEvent): Promise<{ result: ApiResult; replayed: boolean } | undefined> => {
      if (!running) return undefined;
      const isPush = /^\/v1\/checks\/[^/]+\/(results|heartbeat)$/.test(event.rawPath);
      const write = isPush && event.requestContext.http.method === 'POST';
      const done = await invoke((handlers) => (write ? handlers.ingest(event) : handlers.api(event)));
      return done && { result: done.reply, replayed: done.process.replayed };
    },
    /** Everything stops at once, for `ms`. */
    outage: (ms: number): void => {
      if (!running) return;
      running = false;
      count(seen, 'outage');
      const from = clock.now();
      for (const process of [...alive]) process.die();
      clock.at(from + ms, () => resume(from));
    },
    isRunning: () => running,
  };
}

function jobsIn(queue: string, body: string): { check_id: string; slot: number }[] {
  return queue === 'job' ? (JSON.parse(body) as { jobs: Job[] }).jobs : [];
}

function slotOf(queue: string, body: string): Observations['actionRuns'][number] | undefined {
  const run = queue === 'action' ? (JSON.parse(body) as MessageOf<'action'>) : undefined;
  return run?.kind === 'schedule' ? { action_id: run.action_id, slot: run.slot } : undefined;
}
