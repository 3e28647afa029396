import { envOf, type Ports } from '#lib/env.ts';
import { messages } from '#lib/messages.ts';
import { type BatchReply, eachMessage, type QueueRecord } from '#lib/platform/batch.ts';
import { emitShards, SHARDS_PER_RUN } from '#lib/schedule/emit.ts';
import { pingOutside } from '#lib/schedule/outer-ping.ts';

/** Emits the due work of each tick; with many shards, splits the tick into one message per shard. */
export function create(ports: Ports) {
  const env = envOf(ports);
  return (event: { Records: QueueRecord[] }): Promise<BatchReply> =>
    eachMessage(ports.log, event.Records, async (body) => {
      const tick = messages.tick.parse(body);
      const shards = tick.shard !== undefined ? [tick.shard] : env.keys.shards;
      if (shards.length <= SHARDS_PER_RUN) {
        await emitShards(env, shards, Date.parse(tick.scheduled_time));
        // Only one message of a split tick pings.
        if (tick.shard === undefined || tick.shard === env.keys.shards[0]) await pingOutside(ports);
        return;
      }
      await env.ports.queues.send(
        'tick',
        shards.map((shard) => ({ body: { ...tick, shard } })),
      );
    });
}
