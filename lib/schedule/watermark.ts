import type { Env } from '#lib/env.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { Settings } from '#lib/settings.ts';

/** How far ahead of a tick's scheduled time the generator emits. Ticks come up to a minute late, or not at all. */
export const LOOKAHEAD_MS = 2 * 60_000;

/**
 * Every job of the shard due up to `at` (epoch ms) was sent. One item a shard, written once a tick; `layout`: of the
 * table.
 */
export type WatermarkItem = Item & { v: string; at: number; layout?: string };

export const readWatermark = ({ ports, keys }: Env, shard: number): Promise<WatermarkItem | undefined> =>
  ports.table.get<WatermarkItem>(keys.watermark(shard));

/** No tick moves a watermark farther ahead (ms); one that is was written by a clock that ran ahead. */
export const FARTHEST_MS = 2 * LOOKAHEAD_MS + 60_000;

/** The watermark (epoch ms); 0 when it is missing or implausibly far ahead. */
export const emittedUntil = (mark: WatermarkItem | undefined, now: number): number =>
  mark && mark.at <= now + FARTHEST_MS ? mark.at : 0;

/**
 * Until when (epoch ms) the writer of an entry sends its jobs itself: a generator that runs right now may not see the
 * entry. It reaches the watermark or two minutes from now; two minutes more are to spare.
 */
export async function writerSendsUntil(env: Env, shard: number): Promise<number> {
  const watermark = await readWatermark(env, shard);
  const now = env.ports.clock.now();
  return Math.max(emittedUntil(watermark, now), now + LOOKAHEAD_MS) + LOOKAHEAD_MS;
}

/** How the table is divided: fixed once there is data, as other partitions would be looked into. */
export const layoutOf = ({ SHARDS, BUCKETS }: Pick<Settings, 'SHARDS' | 'BUCKETS'>): string =>
  `SHARDS=${SHARDS} BUCKETS=${BUCKETS}`;

/**
 * @param known a watermark of the table, if it has one
 * @throws when the table was divided otherwise: checks would be lost from sight without a word
 */
export function assertLayout(settings: Settings, known: WatermarkItem | undefined): void {
  const layout = layoutOf(settings);
  if (known?.layout === undefined || known.layout === layout) return;
  throw new Error(
    `The table is laid out with ${known.layout}, the settings say ${layout}: much of it would not be seen. Set ${known.layout}.`,
  );
}
