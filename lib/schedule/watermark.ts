import type { Env } from '#lib/env.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { Settings } from '#lib/settings.ts';

/** Time (ms) by which the generator sends jobs ahead of a tick: ticks may be up to a minute late, or missing. */
export const LOOKAHEAD_MS = 2 * 60_000;

/** Watermark of a shard: all jobs due up to `at` (epoch ms) were sent. `layout`: partition layout of the table. */
export type WatermarkItem = Item & { v: string; at: number; layout?: string };

export const readWatermark = ({ ports, keys }: Env, shard: number): Promise<WatermarkItem | undefined> =>
  ports.table.get<WatermarkItem>(keys.watermark(shard));

/** Maximum time (ms) by which a valid watermark is ahead; one further ahead was written by a clock that ran ahead. */
export const MAX_AHEAD_MS = 2 * LOOKAHEAD_MS + 60_000;

/** Returns the watermark (epoch ms); 0 if it is missing or implausibly far ahead. */
export const emittedUntil = (mark: WatermarkItem | undefined, now: number): number =>
  mark && mark.at <= now + MAX_AHEAD_MS ? mark.at : 0;

/**
 * Returns the time (epoch ms) until which the code that writes a schedule entry sends its jobs itself, because a
 * running generator may not see the entry.
 */
export async function writerSendsUntil(env: Env, shard: number): Promise<number> {
  const watermark = await readWatermark(env, shard);
  const now = env.ports.clock.now();
  return Math.max(emittedUntil(watermark, now), now + LOOKAHEAD_MS) + LOOKAHEAD_MS;
}

/** Returns the partition layout of the table, fixed once it has data: other values would read other partitions. */
export const layoutOf = ({ SHARDS, BUCKETS }: Pick<Settings, 'SHARDS' | 'BUCKETS'>): string =>
  `SHARDS=${SHARDS} BUCKETS=${BUCKETS}`;

/** Throws if the table has another layout, because checks would be lost unnoticed. `known`: a watermark, if any. */
export function assertLayout(settings: Settings, known: WatermarkItem | undefined): void {
  const layout = layoutOf(settings);
  if (known?.layout === undefined || known.layout === layout) return;
  throw new Error(
    `The table is laid out with ${known.layout}, the settings say ${layout}: many items would not be found. Set ${known.layout}.`,
  );
}
