import { keyTable } from '#lib/keys.ts';
import { messages } from '#lib/messages.ts';
import { type BatchReply, eachMessage, type QueueRecord } from '#lib/platform/batch.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { emitShard } from '#lib/schedule/emit.ts';

/** Emits what is due: one tick a minute, split into one message a shard where there are several. */
export function create(ports: Ports) {
  const keys = keyTable(ports.settings);
  return (event: { Records: QueueRecord[] }): Promise<BatchReply> =>
    eachMessage(ports.log, event.Records, async (body) => {
      const tick = messages.tick.parse(body);
      const shard = tick.shard ?? (keys.shards.length === 1 ? 0 : undefined);
      if (shard !== undefined) return emitShard(ports, keys, shard, Date.parse(tick.scheduled_time));
      await ports.queues.send(
        'tick',
        keys.shards.map((each) => ({ body: { ...tick, shard: each } })),
      );
    });
}
