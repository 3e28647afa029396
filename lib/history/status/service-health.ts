import * as z from 'zod';
import type { Env } from '#lib/env.ts';
import { timeOf } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import type { LateProbeItem } from '#lib/results/slots/run-jobs.ts';
import { emittedUntil, type WatermarkItem } from '#lib/schedule/watermark.ts';

/** Health of the service itself; contains no data of tenants. */
export const Health = z
  .object({
    ok: z.boolean().describe('Whether all parts work.'),
    reasons: z.array(z.string()).describe('Reasons why it is not ok; empty if it is.'),
    schedule: z
      .object({
        ok: z.boolean().describe('Whether jobs have been sent ahead of the current time.'),
        emitted_until: z.iso
          .datetime()
          .nullable()
          .describe('Time until which all due jobs have been sent, in every shard; null before the first tick.'),
        lag_seconds: z
          .number()
          .nullable()
          .describe('Lag of emitted_until in seconds; 0 while it is in the future; null before the first tick.'),
      })
      .describe('Sending of due jobs.'),
    probes: z
      .object({
        ok: z.boolean().describe('Whether probes ran in time in the last minute.'),
        last_late_at: z.iso
          .datetime()
          .nullable()
          .describe(
            'Time when a probe last waited longer than its interval, not counting probes of accounts that had used their share; null without one.',
          ),
      })
      .describe('Execution of probes.'),
    deliveries: z
      .object({
        ok: z.boolean().describe('Whether no delivery has waited over a minute for its first attempt.'),
        oldest_unsent_at: z.iso
          .datetime()
          .nullable()
          .describe('Time when the oldest unattempted delivery was planned; null without one.'),
        last_failure_at: z.iso
          .datetime()
          .nullable()
          .describe('Time when a delivery last failed permanently; null if never.'),
      })
      .describe('Sending of alerts.'),
    disk: z
      .object({
        ok: z.boolean().describe('Whether at least 10 % of the disk is free.'),
        free_percent: z
          .number()
          .nullable()
          .describe('Free space of the disk in percent, measured every 30 s; null on AWS, which has no such disk.'),
      })
      .describe('Disk that holds the data of a single-machine installation.'),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof Health>;

/** Free space of the disk that holds the data, in percent; measured every 30 s, but not on AWS. */
export type DiskItem = Item & { free_percent: number };

/** Minimum free space of a healthy service, in percent of the disk. */
export const MIN_FREE_PERCENT = 10;

/** Maximum wait (ms) of a healthy service, and time for which a late probe counts as unhealthy. */
const MAX_WAIT_MS = 60_000;

/** Reads the health of the service. Costs one small read per shard, one per bucket, and three more. */
export async function readHealth(context: Env): Promise<Health> {
  const [schedule, probes, deliveries, disk] = await Promise.all([
    scheduleHealth(context),
    probeHealth(context),
    deliveryHealth(context),
    diskHealth(context),
  ]);
  const reasons = [
    ...(schedule.ok ? [] : ['The schedule is behind: due probes and deadlines might not have been sent.']),
    ...(probes.ok ? [] : ['Probes waited longer than their interval and were skipped.']),
    ...(deliveries.ok ? [] : ['A delivery has waited over a minute for its first attempt.']),
    ...(disk.ok ? [] : [`${disk.free_percent} % of the disk is free; writes fail when it is full. Free some space.`]),
  ];
  return { ok: reasons.length === 0, reasons, schedule, probes, deliveries, disk };
}

async function diskHealth({ ports, keys }: Env): Promise<Health['disk']> {
  const measured = await ports.table.get<DiskItem>(keys.disk);
  const free_percent = measured?.free_percent ?? null;
  return { ok: free_percent === null || free_percent >= MIN_FREE_PERCENT, free_percent };
}

async function probeHealth({ ports, keys }: Env): Promise<Health['probes']> {
  const late = await ports.table.get<LateProbeItem>(keys.lastLateProbe);
  return { ok: !late || late.at < ports.clock.now() - MAX_WAIT_MS, last_late_at: late ? iso(late.at) : null };
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
    ok: unsent.length === 0 || oldest >= ports.clock.now() - MAX_WAIT_MS,
    oldest_unsent_at: unsent.length === 0 ? null : iso(oldest),
    last_failure_at: failure ? iso(failure.at) : null,
  };
}
