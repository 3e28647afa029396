import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { iso } from '#lib/platform/time.ts';
import type { WatermarkItem } from '#lib/schedule/watermark.ts';

/** Whether the service itself works; nothing of any tenant. */
export const Health = z.object({
  ok: z.boolean(),
  schedule: z.object({
    ok: z.boolean(),
    emitted_until: z.iso
      .datetime()
      .nullable()
      .describe('All jobs due until then have been sent, in every shard; null before the first tick.'),
    lag_seconds: z.number().nullable().describe('How far behind now that is; 0 while it lies ahead.'),
  }),
});
export type Health = z.infer<typeof Health>;

/** Costs one small read a shard. */
export async function readHealth({ ports, keys }: Pick<Context, 'ports' | 'keys'>): Promise<Health> {
  const marks = await ports.table.getMany<WatermarkItem>(keys.shards.map((shard) => keys.watermark(shard)));
  const until = Math.min(...marks.map((mark) => mark?.at ?? 0));
  if (until === 0) return { ok: false, schedule: { ok: false, emitted_until: null, lag_seconds: null } };
  const now = ports.clock.now();
  const ok = until > now;
  return { ok, schedule: { ok, emitted_until: iso(until), lag_seconds: Math.max(0, now - until) / 1000 } };
}
