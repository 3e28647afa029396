import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { timeOf } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { emittedUntil, type WatermarkItem } from '#lib/schedule/watermark.ts';

/** Whether the service itself works; nothing of any tenant. */
export const Health = z
  .object({
    ok: z.boolean(),
    schedule: z.object({
      ok: z.boolean(),
      emitted_until: z.iso
        .datetime()
        .nullable()
        .describe('All jobs due until then have been sent, in every shard; null before the first tick.'),
      lag_seconds: z.number().nullable().describe('How far behind now that is; 0 while it lies ahead.'),
    }),
    deliveries: z.object({
      oldest_unsent_at: z.iso
        .datetime()
        .nullable()
        .describe('When the oldest delivery was planned that is neither sent nor failed; null when there is none.'),
      last_failure_at: z.iso.datetime().nullable().describe('When a delivery last ended as failed.'),
    }),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof Health>;

/** Costs one small read a shard, and one a bucket. */
export async function readHealth(context: Pick<Context, 'ports' | 'keys'>): Promise<Health> {
  const [schedule, deliveries] = await Promise.all([scheduleHealth(context), deliveryHealth(context)]);
  return { ok: schedule.ok, schedule, deliveries };
}

async function scheduleHealth({ ports, keys }: Pick<Context, 'ports' | 'keys'>): Promise<Health['schedule']> {
  const marks = await ports.table.getMany<WatermarkItem>(keys.shards.map((shard) => keys.watermark(shard)));
  const until = Math.min(...marks.map((mark) => mark?.at ?? 0));
  if (until === 0) return { ok: false, emitted_until: null, lag_seconds: null };
  const now = ports.clock.now();
  const ok = marks.every((mark) => emittedUntil(mark, now) > now);
  return { ok, emitted_until: iso(until), lag_seconds: Math.max(0, now - until) / 1000 };
}

async function deliveryHealth({ ports, keys }: Pick<Context, 'ports' | 'keys'>): Promise<Health['deliveries']> {
  const [failure, ...pages] = await Promise.all([
    ports.table.get<Item & { at: number }>(keys.lastFailure),
    ...keys.buckets.map((bucket) => ports.table.query({ partition: keys.unsent(bucket), limit: 1 })),
  ]);
  const unsent = pages.flatMap((page) => page.items.map((item) => timeOf(item.sk)));
  return {
    oldest_unsent_at: unsent.length === 0 ? null : iso(Math.min(...unsent)),
    last_failure_at: failure ? iso(failure.at) : null,
  };
}
