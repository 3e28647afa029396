import * as z from 'zod';
import type { TimeRange } from '#lib/history/runs/gaps.ts';
import type { ErrorDetail } from '#lib/platform/errors.ts';
import { DAY_MS, HOUR_MS, iso } from '#lib/platform/time.ts';
import type { AccountedTime } from './account-time.ts';
import { type EntityFigures, type Figures, gapCount } from './figures.ts';
import { type LatencyHistogram, percentile } from './latency-histogram.ts';

const Ratio = (meaning: string) => z.number().min(0).max(1).nullable().describe(`${meaning} Six decimals, cut.`);
const Seconds = (meaning: string) => z.number().min(0).describe(`${meaning} In seconds, to the millisecond.`);
const Milliseconds = (meaning: string) => z.int().min(0).describe(`${meaning}, in milliseconds.`);

/** How long successful runs took. All but the percentiles is exact. */
const Latency = z
  .object({
    count: z.int().min(1).describe('How many runs succeeded.'),
    min_ms: Milliseconds('The least'),
    mean_ms: Milliseconds('The mean, rounded'),
    p50_ms: Milliseconds('What half of them took at most'),
    p95_ms: Milliseconds('What 95 of 100 took at most'),
    p99_ms: Milliseconds('What 99 of 100 took at most'),
    max_ms: Milliseconds('The greatest'),
  })
  .describe('Percentiles are exact below 27 ms, and else off by at most 2.2 % and half a millisecond.');

/** How an entity did in a part of its history, or in all of it (docs/use/states-and-history.md#history). */
export const EntityBucket = z
  .object({
    from: z.iso.datetime().describe('Where it begins.'),
    to: z.iso.datetime().describe('Where it ends, and the next one begins; now, of one that is not over.'),
    complete: z
      .boolean()
      .describe('Whether it is over and rolled up; until then its figures are exact so far, and still change.'),
    revised_at: z.iso
      .datetime()
      .nullable()
      .describe('When its figures changed last after it was over; null when they never did.'),
    runs: z.int().min(0).describe('Results of slots, pushes and silence.'),
    failures: z.int().min(0).describe('Runs that failed, whether or not they made it down.'),
    warnings: z.int().min(0).describe('Runs that succeeded with a warning.'),
    gaps: z.int().min(0).describe('Slots that were due and have no run.'),
    success_ratio: Ratio('Runs that did not fail, over runs; null without runs.'),
    uptime: Ratio('Up and degraded time, over up, degraded and down time; null without any.'),
    coverage: Ratio(
      'Up, degraded and down time, over all but maintenance and not_monitored: how much was watched; null without any.',
    ),
    seconds: z
      .object({
        up: Seconds('It was up.'),
        degraded: Seconds('It was degraded.'),
        down: Seconds('It was down, from the first failed run of an outage to the first successful run after it.'),
        unknown: Seconds('It had no state yet.'),
        gap: Seconds('It was due and not watched.'),
        maintenance: Seconds('A maintenance window covered it that is excluded from uptime.'),
        not_monitored: Seconds('It did not exist yet or any more, or was disabled.'),
      })
      .describe('What its time was; together they are its length.'),
    down_in_maintenance_seconds: Seconds('Of the time in maintenance, what would have been down without it.'),
  })
  .meta({ id: 'EntityBucket' });
export type EntityBucket = z.infer<typeof EntityBucket>;

/** The same of a check. */
export const CheckBucket = EntityBucket.extend({
  latency: Latency.nullable().describe('Of the successful runs; null without any.'),
}).meta({ id: 'CheckBucket' });
export type CheckBucket = z.infer<typeof CheckBucket>;

/** What there is to say of a bucket beside its figures; times in epoch ms. */
type BucketStatus = TimeRange & { complete: boolean; revised_at: number | null };

/** A bucket of a check as the API shows it. */
export const bucketRecord = (figures: Figures, status: BucketStatus): CheckBucket => ({
  ...entityBucketRecord(figures, status),
  latency: figures.latency.count === 0 ? null : latencyRecord(figures.latency),
});

/** A bucket of an entity as the API shows it. */
export function entityBucketRecord(figures: EntityFigures, status: BucketStatus): EntityBucket {
  const { runs, failures, warnings } = figures;
  return {
    from: iso(status.from),
    to: iso(status.to),
    complete: status.complete,
    revised_at: status.revised_at === null ? null : iso(status.revised_at),
    runs,
    failures,
    warnings,
    gaps: gapCount(figures),
    success_ratio: cutRatio(runs - failures, runs),
    ...timeRecord(figures),
  };
}

/** Uptime, coverage and seconds of an accounted time, as the API shows them. */
function timeRecord({
  ms,
  down_in_maintenance_ms,
}: AccountedTime): Pick<EntityBucket, 'uptime' | 'coverage' | 'seconds' | 'down_in_maintenance_seconds'> {
  const available = ms.up + ms.degraded;
  const watched = available + ms.down;
  return {
    uptime: cutRatio(available, watched),
    coverage: cutRatio(watched, watched + ms.unknown + ms.gap),
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

/**
 * The share of a whole, cut after six decimals, so that 1 means all of it; null of nothing. In whole numbers, as the
 * milliseconds of many checks times a million are more than a double holds exactly.
 */
function cutRatio(part: number, whole: number): number | null {
  if (whole === 0) return null;
  return Number((BigInt(part) * BigInt(MILLION)) / BigInt(whole)) / MILLION;
}

const latencyRecord = (latency: LatencyHistogram): NonNullable<CheckBucket['latency']> => ({
  count: latency.count,
  min_ms: latency.min,
  mean_ms: Math.round(latency.sum / latency.count),
  p50_ms: percentile(latency, 50),
  p95_ms: percentile(latency, 95),
  p99_ms: percentile(latency, 99),
  max_ms: latency.max,
});

/** How long a bucket of history is: an hour, day or calendar month in UTC. */
export const BucketSize = z.enum(['hour', 'day', 'month']);
export type BucketSize = z.infer<typeof BucketSize>;

/**
 * For how many days rollups of hours are kept at most, beyond their raw data (docs/use/states-and-history.md#history).
 */
const MAX_HOUR_DAYS = 90;

/** For how many days such buckets can be made, of an account that keeps rollups for so many. */
export const keptDays = (bucket: BucketSize, rollupDays: number): number =>
  bucket === 'hour' ? Math.min(MAX_HOUR_DAYS, rollupDays) : rollupDays;

/** What a caller asks for; times in epoch ms. */
export type BucketQuery = { bucket: BucketSize; from?: number | undefined; to?: number | undefined };

/** The span that is answered and its buckets, ascending: none is empty, and each begins where the one before ends. */
export type BucketList = TimeRange & { buckets: TimeRange[] };

const MAX_BUCKETS = 1000;

/** What a bucket is made of, and so where kept time begins: hours of hours, days and months of days. */
const PART_MS: Record<BucketSize, number> = { hour: HOUR_MS, day: DAY_MS, month: DAY_MS };

/** How far an answer reaches back, unless asked for more. */
const REACH: Record<BucketSize, (to: number) => number> = {
  hour: (to) => to - DAY_MS,
  day: (to) => to - 30 * DAY_MS,
  month: (to) => addMonths(to, -12),
};

/**
 * The buckets of a query: widened to their borders, then cut to now and to what is kept. So the last one may end now,
 * and the first month begin with a later day than its first.
 * @param rollupDays for how many days the account keeps rollups
 * @returns or what is wrong with the query, and what is allowed
 */
export function listBuckets(
  { bucket, from: askedFrom, to: askedTo }: BucketQuery,
  { now, rollupDays }: { now: number; rollupDays: number },
): BucketList | { wrong: ErrorDetail } {
  const until = Math.min(askedTo ?? now, now);
  const since = askedFrom ?? REACH[bucket](until);
  if (askedTo !== undefined && since >= askedTo) return wrong('from', `must be before to (${iso(askedTo)})`);
  if (since >= now) return wrong('from', `must be in the past; now is ${iso(now)}`);

  const days = keptDays(bucket, rollupDays);
  const kept = Math.ceil((now - days * DAY_MS) / PART_MS[bucket]) * PART_MS[bucket];
  const from = Math.max(startOf(bucket, since), kept);
  const to = Math.min(nextOf(bucket, until - 1), now);
  if (from >= to) return wrong('to', `must be after ${iso(kept)}; bucket=${bucket} goes back ${days} days`);

  const buckets: TimeRange[] = [];
  for (let at = from; at < to; at = buckets.at(-1)!.to)
    buckets.push({ from: at, to: Math.min(nextOf(bucket, at), to) });
  if (buckets.length > MAX_BUCKETS) {
    const remedy = bucket === 'hour' ? '41 days, or for bucket=day' : `${MAX_BUCKETS} days, or for bucket=month`;
    return wrong(
      'from',
      `${iso(from)} to ${iso(to)} are ${buckets.length} buckets of one ${bucket}, and at most ${MAX_BUCKETS} are ` +
        `answered: ask for at most ${remedy}`,
    );
  }
  return { from, to, buckets };
}

const wrong = (path: 'from' | 'to', message: string) => ({ wrong: { path, message } });

/** Where the bucket begins that holds an instant. Epoch days begin at midnight UTC. */
export const startOf = (bucket: BucketSize, at: number): number =>
  bucket === 'month' ? addMonths(at, 0) : Math.floor(at / PART_MS[bucket]) * PART_MS[bucket];

/** Where the bucket after that begins. */
const nextOf = (bucket: BucketSize, at: number): number =>
  bucket === 'month' ? addMonths(at, 1) : startOf(bucket, at) + PART_MS[bucket];

/** The beginning of the month that is so many after that of an instant. */
function addMonths(at: number, months: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
}
