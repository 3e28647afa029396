import type { CheckBucket } from '#console/api/records.ts';
import { duration } from './time.ts';

type Timed = Pick<CheckBucket, 'seconds'>;

/**
 * Up and degraded time over that which was watched, of some buckets together, as the API counts it of each
 * (docs/use/states-and-history.md#history); null where nothing was watched.
 */
export function uptimeOf(buckets: readonly Timed[]): number | null {
  let available = 0;
  let watched = 0;
  for (const { seconds } of buckets) {
    available += seconds.up + seconds.degraded;
    watched += seconds.up + seconds.degraded + seconds.down;
  }
  return watched === 0 ? null : available / watched;
}

/** What an uptime does not say, as degraded counts as up: `3 h degraded`. Empty where there was none. */
export function degradedOf(buckets: readonly Timed[]): string {
  const seconds = buckets.reduce((sum, bucket) => sum + bucket.seconds.degraded, 0);
  return seconds > 0 ? `${duration(seconds * 1000)} degraded` : '';
}

/** What one can look at: how far back, and by what. `results`: each one by itself. */
export const WINDOWS = [
  { key: '1h', name: '1 h', hours: 1, by: 'results' },
  { key: '24h', name: '24 h', hours: 24, by: 'hour' },
  { key: '7d', name: '7 d', hours: 7 * 24, by: 'hour' },
  { key: '30d', name: '30 d', hours: 30 * 24, by: 'day' },
  { key: '90d', name: '90 d', hours: 90 * 24, by: 'day' },
] as const;
export type ChartRange = (typeof WINDOWS)[number];

/** Of a check that is younger, a day would be all but empty. */
const YOUNG_MS = 3 * 3_600_000;

/** The window of an address; where it names none the day, or the hour of a check that is young. @param age ms */
export const chartRangeOf = (text: string | null, age: number): ChartRange =>
  WINDOWS.find(({ key }) => key === text) ?? WINDOWS[age < YOUNG_MS ? 0 : 1];
