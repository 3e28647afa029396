import * as z from 'zod';
import type { Span } from '#lib/health/history/gap-causes.ts';
import type { AccountedTime } from '#lib/health/rollups/accounted-span.ts';
import { iso } from '#lib/platform/time.ts';
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

/** How an entity did in a part of its history, or in all of it (docs/CONTRACT.md#history). */
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
type BucketStatus = Span & { complete: boolean; revised_at: number | null };

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
