import { queues as specs } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import type { BatchReply } from '#lib/platform/batch.ts';
import { sqsEventSource } from '#test/support/sqs-event-source.ts';
import { streamEventSource } from '#test/support/stream-event-source.ts';
import { ASSUMPTIONS as a } from './assumptions.ts';
import { requestsOf, type Sent } from './clients.ts';
import type { CpuClock } from './cpu-clock.ts';
import type { Environments, Invocable } from './environments.ts';
import type { Meter } from './meter.ts';

/** Label in the meter for receives without messages. */
export const IDLE = 'idle pollers';

/** Dependencies of an event source. `fail` ends the measurement. */
export type SourceWorld = {
  clock: CpuClock;
  meter: Meter;
  environments: Environments;
  fail(error: unknown): void;
  /** Returns the label under which the meter counts an invocation for a queue or stream. */
  pathOf(source: string, consumer: string): string;
};

/** Throws on failed records, because a measurement must have no retries. */
function assertNoFailures(result: unknown, source: string): BatchReply {
  const reply = result as BatchReply;
  const failed = reply.batchItemFailures.length;
  if (failed > 0) throw new Error(`${failed} records of ${source} failed.`);
  return reply;
}

/** Creates the queues with their event sources, which count requests to SQS. */
export function makeQueues({ clock, meter, environments, fail, pathOf }: SourceWorld) {
  const charge = async (path: string, requests: number): Promise<void> => {
    meter.add(path, 'queue_requests', requests);
    await clock.sleep(a.queue_ms);
  };
  const sources = Object.keys(specs).map((name) =>
    sqsEventSource(name as QueueName, {
      clock,
      pollers: (queue) => ({
        min: a.pollers,
        max: Math.max(a.pollers, specs[queue].concurrency),
        every_ms: a.poller_every_ms,
      }),
      long_poll_ms: a.long_poll_ms,
      onIdle: () => meter.add(IDLE, 'queue_requests', 1),
      run: async (queue, batch, Records) => {
        const { consumer } = specs[queue];
        const path = pathOf(queue, consumer);
        try {
          await charge(path, requestsOf(batch.reduce((sum, { body }) => sum + body.length, 0)));
          const chains = batch.map(({ lineage }) => lineage);
          const answer = await environments.invoke(consumer as Invocable, path, { Records }, chains);
          await charge(path, 1);
          return assertNoFailures(answer, queue);
        } catch (error) {
          fail(error);
          return undefined;
        }
      },
    }),
  );
  const byName = new Map(Object.keys(specs).map((name, i) => [name, sources[i]!]));
  return {
    start: () => {
      for (const source of sources) source.start();
    },
    send: (queue: string, messages: Sent[]) => {
      for (const { body, delay_ms, lineage } of messages)
        byName.get(queue)!.send(body, clock.now() + delay_ms, lineage);
    },
  };
}

/** Creates the stream of the table; shards are polled, which Lambda does free of charge. */
export function makeStream({ clock, environments, fail, pathOf }: SourceWorld) {
  return streamEventSource({
    clock,
    shards: a.stream_shards,
    lag: () => a.stream_ms / 2,
    pause: () => a.stream_ms,
    run: async ({ name, function: reader }, Records) => {
      try {
        return assertNoFailures(
          await environments.invoke(reader as Invocable, pathOf(name, reader), { Records }),
          name,
        );
      } catch (error) {
        fail(error);
        return undefined;
      }
    },
  });
}
