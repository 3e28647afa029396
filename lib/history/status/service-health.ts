import * as z from 'zod';
import type { Env } from '#lib/env.ts';
import { timeOf } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import type { LateProbeItem } from '#lib/results/slots/run-jobs.ts';
import { emittedUntil, type WatermarkItem } from '#lib/schedule/watermark.ts';

/** Whether the service itself works; nothing of any tenant. */
export const Health = z
  .object({
    ok: z.boolean().describe('Whether all of it works.'),
    reasons: z.array(z.string()).describe('Why it is not ok; empty when it is.'),
    schedule: z
      .object({
        ok: z.boolean().describe('Whether it is ahead of now.'),
        emitted_until: z.iso
          .datetime()
          .nullable()
          .describe('All jobs due until then have been sent, in every shard; null before the first tick.'),
        lag_seconds: z.number().nullable().describe('How far behind now that is; 0 while it lies ahead.'),
      })
      .describe('Sending of jobs that are due.'),
    probes: z
      .object({
        ok: z.boolean().describe('Whether probes came in time in the last minute.'),
        last_late_at: z.iso
          .datetime()
          .nullable()
          .describe('When a probe last waited for longer than its interval, by no fault of its account.'),
      })
      .describe('Running of probes.'),
    deliveries: z
      .object({
        ok: z.boolean().describe('Whether no delivery has waited for over a minute for a first try.'),
        oldest_unsent_at: z.iso
          .datetime()
          .nullable()
          .describe('When the oldest delivery was planned that was not tried yet; null when there is none.'),
        last_failure_at: z.iso.datetime().nullable().describe('When a delivery last ended as failed.'),
      })
      .describe('Sending of alerts.'),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof Health>;

/** What waits for longer than this (ms) waits too long; and so long a late probe counts. */
const TOO_LONG_MS = 60_000;

/** Costs one small read a shard, one a bucket, and two more. */
export async function readHealth(context: Env): Promise<Health> {
  const [schedule, probes, deliveries] = await Promise.all([
    scheduleHealth(context),
    probeHealth(context),
    deliveryHealth(context),
  ]);
  const reasons = [
    ...(schedule.ok ? [] : ['The schedule is not ahead of now: due probes and deadlines may not have been sent.']),
    ...(probes.ok ? [] : ['Probes waited for longer than their interval and were left out.']),
    ...(deliveries.ok ? [] : ['A delivery has waited for over a minute for a first try.']),
  ];
  return { ok: reasons.length === 0, reasons, schedule, probes, deliveries };
}

async function probeHealth({ ports, keys }: Env): Promise<Health['probes']> {
  const late = await ports.table.get<LateProbeItem>(keys.lastLateProbe);
  return { ok: !late || late.at < ports.clock.now() - TOO_LONG_MS, last_late_at: late ? iso(late.at) : null };
}

async function scheduleHealth({ ports, keys }: Env): Promise<Health['schedule']> {
  const marks = await ports.table.getMany<WatermarkItem>(keys.shards.map((shard) => keys.watermark(shard)));
  const until = Math.min(...marks.map((mark) => mark?.at ?? 0));
  if (until === 0) return { ok: false, emitted_until: null, lag_seconds: null };
  const now = ports.clock.now();
  const ok = marks.every((mark) => emittedUntil(mark, now) > now);
  return { ok, emitted_until: iso(until), lag_seconds: Math.max(0, now - until) / 1000 };
}

async function deliveryHealth({ ports, keys }: Env): Promise<Health['deliveries']> {
  const [failure, ...pages] = await Promise.all([
    ports.table.get<Item & { at: number }>(keys.lastFailure),
    ...keys.buckets.map((bucket) => ports.table.query({ partition: keys.unsent(bucket), limit: 1 })),
  ]);
  const unsent = pages.flatMap((page) => page.items.map((item) => timeOf(item.sk)));
  const oldest = Math.min(...unsent);
  return {
    ok: unsent.length === 0 || oldest >= ports.clock.now() - TOO_LONG_MS,
    oldest_unsent_at: unsent.length === 0 ? null : iso(oldest),
    last_failure_at: failure ? iso(failure.at) : null,
  };
}
