import type { Keys } from '#lib/keys.ts';
import type { Item, Ports } from '#lib/platform/ports.ts';

/** How far ahead of a tick's scheduled time the generator emits. Ticks come up to a minute late, or not at all. */
export const LOOKAHEAD_MS = 2 * 60_000;

/** Up to `at` (epoch ms) every job of the shard has been sent. One item a shard, written once a tick. */
export type WatermarkItem = Item & { v: string; at: number };

export const readWatermark = (ports: Ports, keys: Keys, shard: number): Promise<WatermarkItem | undefined> =>
  ports.table.get<WatermarkItem>(keys.watermark(shard));

/**
 * Until when the writer of an entry sends its jobs itself: a generator that runs at this moment may not see the entry,
 * and reaches no farther than `watermark` or two minutes from now.
 */
export async function handover(ports: Ports, keys: Keys, entityId: string): Promise<number> {
  const watermark = await readWatermark(ports, keys, keys.shardOf(entityId));
  return Math.max(watermark?.at ?? 0, ports.clock.now() + LOOKAHEAD_MS) + LOOKAHEAD_MS;
}
