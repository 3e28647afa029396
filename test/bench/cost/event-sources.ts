import { queues as specs, streams } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import type { BatchReply } from '#lib/platform/batch.ts';
import { hash32 } from '#lib/platform/ids.ts';
import type { Lineage } from '#test/support/lineage.ts';
import { ASSUMPTIONS as a } from './assumptions.ts';
import { requestsOf, type Sent } from './clients.ts';
import type { CpuClock } from './cpu-clock.ts';
import type { Environments, Invocable } from './environments.ts';
import type { Attributes } from './item-size.ts';
import type { Meter } from './meter.ts';

/** Receives that brought nothing are counted on this path. */
export const IDLE = 'idle pollers';

/** What an event source works with. `fail` ends the measurement. */
export type Sources = {
  clock: CpuClock;
  meter: Meter;
  environments: Environments;
  fail(error: unknown): void;
  /** What an invocation for this queue or stream is counted for. */
  pathOf(source: string, consumer: string): string;
};

type Message = { id: number; body: string; lineage: Lineage };

/** Nothing of what is measured here is to be given again. */
function insist(answer: unknown, source: string): void {
  const { batchItemFailures } = answer as BatchReply;
  if (batchItemFailures.length > 0) throw new Error(`${batchItemFailures.length} records of ${source} failed.`);
}

/**
 * An SQS queue and its event source. A poller receives in a long poll, which ends with the first message that comes or
 * with as many as a batch takes of those that wait; hands it to its function, waits for the answer, and deletes the
 * batch in one request. A message goes to a poller that waits before it goes together with another one: so there are
 * more receives than a crowded queue needs.
 */
export function makeQueue(name: QueueName, { clock, meter, environments, fail, pathOf }: Sources) {
  const { batch, consumer, concurrency } = specs[name];
  const path = pathOf(name, consumer);
  const visible: Message[] = [];
  const waiting: ((message: Message | undefined) => void)[] = [];
  let pollers = 0;
  let sequence = 0;
  let grows = false;

  async function receive(): Promise<Message[]> {
    if (visible.length > 0) return visible.splice(0, batch);
    const first = await new Promise<Message | undefined>((resolve) => {
      waiting.push(resolve);
      clock.in(a.long_poll_ms, () => {
        const at = waiting.indexOf(resolve);
        if (at < 0) return;
        waiting.splice(at, 1);
        resolve(undefined);
      });
    });
    return first ? [first, ...visible.splice(0, batch - 1)] : [];
  }

  async function handle(messages: Message[]): Promise<void> {
    meter.add(path, 'queue_requests', requestsOf(messages.reduce((sum, { body }) => sum + body.length, 0)));
    await clock.sleep(a.queue_ms);
    const Records = messages.map(({ id, body }) => ({
      messageId: `m${id}`,
      body,
      attributes: { ApproximateReceiveCount: '1', ApproximateFirstReceiveTimestamp: String(clock.now()) },
    }));
    const chains = messages.map(({ lineage }) => lineage);
    insist(await environments.invoke(consumer as Invocable, path, { Records }, chains), name);
    meter.add(path, 'queue_requests', 1);
    await clock.sleep(a.queue_ms);
  }

  async function poll(): Promise<void> {
    pollers++;
    for (;;) {
      const messages = await receive();
      if (messages.length > 0) {
        await handle(messages);
        continue;
      }
      meter.add(IDLE, 'queue_requests', 1);
      if (pollers > a.pollers) break;
    }
    pollers--;
  }

  /** One more poller each time that it looks, while messages wait for one. */
  function grow(): void {
    if (grows || pollers >= Math.max(a.pollers, concurrency)) return;
    grows = true;
    clock.in(a.poller_every_ms, () => {
      grows = false;
      if (visible.length === 0) return;
      poll().catch(fail);
      grow();
    });
  }

  function arrive(message: Message): void {
    const first = waiting.shift();
    if (first) first(message);
    else {
      visible.push(message);
      grow();
    }
  }

  return {
    start: () => {
      for (let i = 0; i < a.pollers; i++) {
        // Their polls do not end together.
        clock.in((i * a.long_poll_ms) / a.pollers, () => void poll().catch(fail));
      }
    },
    send: (messages: Sent[]) => {
      for (const { body, delay_ms, lineage } of messages) {
        const message = { id: ++sequence, body, lineage };
        clock.in(delay_ms, () => arrive(message));
      }
    },
  };
}

/** The table's stream: each shard is read now and then, and what is new goes to each reader in one invocation. */
export function makeStream({ clock, environments, fail, pathOf }: Sources) {
  const shards = Array.from({ length: a.stream_shards }, (): Attributes[] => []);
  let sequence = 0;

  function handOver(records: Attributes[]): void {
    for (const { name, function: reader, sk_prefix } of streams) {
      const Records = records
        .filter((item) => item.sk!.S!.startsWith(sk_prefix))
        .map((NewImage) => ({ dynamodb: { SequenceNumber: String(++sequence), NewImage } }));
      if (Records.length === 0) continue;
      environments
        .invoke(reader as Invocable, pathOf(name, reader), { Records })
        .then((answer) => insist(answer, name))
        .catch(fail);
    }
  }

  const batch = Math.min(...streams.map((one) => one.batch));
  const read = (shard: Attributes[]): void => {
    handOver(shard.splice(0, batch));
    if (shard.length > 0) clock.in(a.stream_ms, () => read(shard));
  };

  return {
    inserted: (item: Attributes): void => {
      if (!streams.some(({ sk_prefix }) => item.sk!.S!.startsWith(sk_prefix))) return;
      const shard = shards[hash32(item.pk!.S!) % shards.length]!;
      shard.push(item);
      if (shard.length === 1) clock.in(a.stream_ms / 2, () => read(shard));
    },
  };
}
