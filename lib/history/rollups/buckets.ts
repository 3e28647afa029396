import * as z from 'zod';
import type { TimeRange } from '#lib/history/results/gaps.ts';
import type { ErrorDetail } from '#lib/platform/errors.ts';
import { DAY_MS, HOUR_MS, iso } from '#lib/platform/time.ts';
import type { TimeByKind } from './classify-time.ts';
import { type EntityFigures, type Figures, gapCount } from './figures.ts';
import { emptyHistogram, type LatencyHistogram, percentile } from './latency-histogram.ts';

const Ratio = (meaning: string) =>
  z.number().min(0).max(1).nullable().describe(`${meaning} Truncated to six decimals.`);
const Seconds = (meaning: string) => z.number().min(0).describe(`${meaning}, in seconds with millisecond precision.`);
const Milliseconds = (meaning: string) => z.int().min(0).describe(`${meaning}, in milliseconds.`);

/** Latencies of successful results. The mean is rounded, percentiles are approximate, the others are exact. */
const Latency = z
  .object({
    count: z.int().min(1).describe('Number of successful results.'),
    min_ms: Milliseconds('Minimum latency'),
    mean_ms: Milliseconds('Mean latency, rounded'),
    p50_ms: Milliseconds('Median latency'),
    p95_ms: Milliseconds('95th percentile of latency'),
    p99_ms: Milliseconds('99th percentile of latency'),
    max_ms: Milliseconds('Maximum latency'),
  })
  .describe(
    'Latencies of successful results. Percentiles are exact below 27 ms, else off by at most 2.2 % plus 0.5 ms.',
  );

/** Time and counts of a bucket, or of the whole range (docs/use/states-and-history.md#history). */
const Bucket = z.object({
  from: z.iso.datetime().describe('Start of the bucket.'),
  to: z.iso.datetime().describe('End of the bucket, exclusive; the current time if it is not over.'),
  complete: z
    .boolean()
    .describe('Whether the bucket is over and rolled up. Until then its figures are exact but still change.'),
  revised_at: z.iso
    .datetime()
    .nullable()
    .describe('Time of the last change of its figures after the bucket was over; null if never.'),
  known_since: z.iso
    .datetime()
    .nullable()
    .describe('Start of the first monitored time; null without any. Earlier time of the bucket has no data.'),
  runs: z.int().min(0).describe('Number of results of slots, pushes and missed heartbeats.'),
  failures: z.int().min(0).describe('Number of failed results, whether or not they changed the state.'),
  warnings: z.int().min(0).describe('Number of successful results with a warning.'),
  gaps: z.int().min(0).describe('Number of due slots without a result.'),
  success_ratio: Ratio('Results that did not fail, divided by all results; null without results.'),
  uptime: Ratio('Up and degraded time, divided by up, degraded and down time; null without such time.'),
  coverage: Ratio(
    'Up, degraded and down time, divided by all time except maintenance and not_monitored; null without such time.',
  ),
  seconds: z
    .object({
      up: Seconds('Time up'),
      degraded: Seconds('Time degraded'),
      down: Seconds('Time down, from the first failed result of an outage to the first successful one after it'),
      unknown: Seconds('Time monitored without a state, such as before the first result'),
      gap: Seconds('Time in which a check was due but not monitored'),
      maintenance: Seconds('Time covered by a maintenance window that is excluded from uptime'),
      not_monitored: Seconds('Time in which the check or entity did not exist or was disabled'),
    })
    .describe('Time of each kind; they add up to the length of the bucket.'),
  down_in_maintenance_seconds: Seconds('Time in maintenance that would have been down without it'),
});
type Bucket = z.infer<typeof Bucket>;

export const EntityBucket = Bucket.extend({
  mean_latency_ms: z
    .int()
    .min(0)
    .nullable()
    .describe(
      'Mean latency of successful results of its checks, in milliseconds; null without latency=true, or without a successful result.',
    ),
}).meta({ id: 'EntityBucket' });
export type EntityBucket = z.infer<typeof EntityBucket>;

export const CheckBucket = Bucket.extend({
  latency: Latency.nullable().describe('Latencies of successful results; null without successful results.'),
}).meta({ id: 'CheckBucket' });
export type CheckBucket = z.infer<typeof CheckBucket>;

export type BucketStatus = TimeRange & { complete: boolean; revised_at: number | null; known_since: number | null };

export const bucketRecord = (figures: Figures, status: BucketStatus): CheckBucket => ({
  ...bucketOf(figures, status),
  latency: figures.latency.count === 0 ? null : latencyRecord(figures.latency),
});

/** Returns a bucket of an entity as the API shows it. @param latency of its checks, if requested */
export const entityBucketRecord = (
  figures: EntityFigures,
  status: BucketStatus,
  latency: LatencyHistogram = emptyHistogram(),
): EntityBucket => ({
  ...bucketOf(figures, status),
  mean_latency_ms: latency.count === 0 ? null : meanOf(latency),
});

function bucketOf(figures: EntityFigures, status: BucketStatus): Bucket {
  const { runs, failures, warnings } = figures;
  return {
    from: iso(status.from),
    to: iso(status.to),
    complete: status.complete,
    revised_at: status.revised_at === null ? null : iso(status.revised_at),
    known_since: status.known_since === null ? null : iso(status.known_since),
    runs,
    failures,
    warnings,
    gaps: gapCount(figures),
    success_ratio: floorRatio(runs - failures, runs),
    ...timeRecord(figures),
  };
}

function timeRecord({
  ms,
  down_in_maintenance_ms,
}: TimeByKind): Pick<EntityBucket, 'uptime' | 'coverage' | 'seconds' | 'down_in_maintenance_seconds'> {
  const available = ms.up + ms.degraded;
  const monitored = available + ms.down;
  return {
    uptime: floorRatio(available, monitored),
    coverage: floorRatio(monitored, monitored + ms.unknown + ms.gap),
    seconds: {
      up: ms.up / 1000,
      degraded: ms.degraded / 1000,
      down: ms.down / 1000,
      unknown: ms.unknown / 1000,
      gap: ms.gap / 1000,
      maintenance: ms.maintenance / 1000,
      not_monitored: ms.not_monitored / 1000,
    },
    down_in_maintenance_seconds: down_in_maintenance_ms / 1000,
  };
}

const MILLION = 1_000_000;

/** Returns a ratio rounded down to six decimals; null if `whole` is 0. Uses BigInt because products can exceed 2^53. */
export function floorRatio(part: number, whole: number): number | null {
  if (whole === 0) return null;
  const [dividend, divisor] = [BigInt(part) * BigInt(MILLION), BigInt(whole)];
  const isRoundedUp = part < 0 && dividend % divisor !== 0n;
  return Number(dividend / divisor - (isRoundedUp ? 1n : 0n)) / MILLION;
}

const meanOf = ({ sum, count }: LatencyHistogram): number => Math.round(sum / count);

const latencyRecord = (latency: LatencyHistogram): NonNullable<CheckBucket['latency']> => ({
  count: latency.count,
  min_ms: latency.min,
  mean_ms: meanOf(latency),
  p50_ms: percentile(latency, 50),
  p95_ms: percentile(latency, 95),
  p99_ms: percentile(latency, 99),
  max_ms: latency.max,
});

/** Size of a history bucket, in UTC. */
export const BucketSize = z.enum(['hour', 'day', 'month']);
export type BucketSize = z.infer<typeof BucketSize>;

/** Maximum age (days) of hourly buckets. Their rollups are stored as long as raw data, if that is longer. */
const MAX_HOUR_DAYS = 90;

/** Returns the number of days for which buckets of a size are kept, from the account's number of rollup days. */
export const keptDays = (bucket: BucketSize, rollupDays: number): number =>
  bucket === 'hour' ? Math.min(MAX_HOUR_DAYS, rollupDays) : rollupDays;

/** Requested bucket size and range (epoch ms). */
export type BucketQuery = { bucket: BucketSize; from?: number | undefined; to?: number | undefined };

/** Returned range and its buckets: ascending, contiguous, each of positive length. */
export type BucketList = TimeRange & { buckets: TimeRange[] };

const MAX_BUCKETS = 1000;

/** Size (ms) of the rollups that make up a bucket; the kept time starts at a multiple of it. */
const PART_MS: Record<BucketSize, number> = { hour: HOUR_MS, day: DAY_MS, month: DAY_MS };

const DEFAULT_FROM: Record<BucketSize, (to: number) => number> = {
  hour: (to) => to - DAY_MS,
  day: (to) => to - 30 * DAY_MS,
  month: (to) => startOfMonth(to, -12),
};

/**
 * Lists the buckets of a request, or returns an error. The range is widened to whole buckets, then cut to now and to
 * the kept time (docs/use/states-and-history.md#history). `rollupDays`: number of days for which rollups are kept.
 */
export function listBuckets(
  { bucket, from: requestedFrom, to: requestedTo }: BucketQuery,
  { now, rollupDays }: { now: number; rollupDays: number },
): BucketList | { wrong: ErrorDetail } {
  const until = Math.min(requestedTo ?? now, now);
  const since = requestedFrom ?? DEFAULT_FROM[bucket](until);
  if (requestedTo !== undefined && since >= requestedTo)
    return wrong('from', `must be before to (${iso(requestedTo)})`);
  if (since >= now) return wrong('from', `must be in the past; now is ${iso(now)}`);

  const days = keptDays(bucket, rollupDays);
  const kept = Math.ceil((now - days * DAY_MS) / PART_MS[bucket]) * PART_MS[bucket];
  const from = Math.max(startOf(bucket, since), kept);
  const to = Math.min(endOf(bucket, until - 1), now);
  if (from >= to) return wrong('to', `must be after ${iso(kept)}; bucket=${bucket} goes back ${days} days`);

  const buckets: TimeRange[] = [];
  for (let at = from; at < to; at = buckets.at(-1)!.to) buckets.push({ from: at, to: Math.min(endOf(bucket, at), to) });
  if (buckets.length > MAX_BUCKETS) {
    const allowed = bucket === 'hour' ? '41 days, or use bucket=day' : `${MAX_BUCKETS} days, or use bucket=month`;
    return wrong(
      'from',
      `${iso(from)} to ${iso(to)} is ${buckets.length} buckets of one ${bucket}, more than ${MAX_BUCKETS}: ` +
        `request at most ${allowed}`,
    );
  }
  return { from, to, buckets };
}

const wrong = (path: 'from' | 'to', message: string) => ({ wrong: { path, message } });

/** Returns the start of the bucket that contains an instant. Epoch days start at midnight UTC. */
export const startOf = (bucket: BucketSize, at: number): number =>
  bucket === 'month' ? startOfMonth(at, 0) : Math.floor(at / PART_MS[bucket]) * PART_MS[bucket];

const endOf = (bucket: BucketSize, at: number): number =>
  bucket === 'month' ? startOfMonth(at, 1) : startOf(bucket, at) + PART_MS[bucket];

/** Returns the start of the month that is `months` after the month of an instant (epoch ms, UTC). Pure. */
export function startOfMonth(at: number, months: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
}
