import * as z from 'zod';
import type { Span } from '#lib/health/history/gap-causes.ts';
import type { ErrorDetail } from '#lib/platform/errors.ts';
import { DAY_MS, HOUR_MS, iso } from '#lib/platform/time.ts';

/** How long a bucket of history is: an hour, day or calendar month in UTC. */
export const BucketSize = z.enum(['hour', 'day', 'month']);
export type BucketSize = z.infer<typeof BucketSize>;

/** For how many days rollups of hours are kept at most, beyond their raw data (docs/CONTRACT.md#history). */
const MOST_HOUR_DAYS = 90;

/** For how many days such buckets can be made, of an account that keeps rollups for so many. */
export const keptDays = (bucket: BucketSize, rollupDays: number): number =>
  bucket === 'hour' ? Math.min(MOST_HOUR_DAYS, rollupDays) : rollupDays;

/** What a caller asks for; times in epoch ms. */
export type BucketQuery = { bucket: BucketSize; from?: number | undefined; to?: number | undefined };

/** The span that is answered and its buckets, ascending: none is empty, and each begins where the one before ends. */
export type BucketList = Span & { buckets: Span[] };

const MOST_BUCKETS = 1000;

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

  const buckets: Span[] = [];
  for (let at = from; at < to; at = buckets.at(-1)!.to)
    buckets.push({ from: at, to: Math.min(nextOf(bucket, at), to) });
  if (buckets.length > MOST_BUCKETS) {
    const remedy = bucket === 'hour' ? '41 days, or for bucket=day' : `${MOST_BUCKETS} days, or for bucket=month`;
    return wrong(
      'from',
      `${iso(from)} to ${iso(to)} are ${buckets.length} buckets of one ${bucket}, and at most ${MOST_BUCKETS} are ` +
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
