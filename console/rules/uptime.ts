import type { CheckBucket } from '#console/api/records.ts';
import { duration } from './time.ts';

type Timed = Pick<CheckBucket, 'seconds'>;

/** Returns the uptime of buckets (docs/use/states-and-history.md#history); null without monitored time. */
export function uptimeOf(buckets: readonly Timed[]): number | null {
  let available = 0;
  let monitored = 0;
  for (const { seconds } of buckets) {
    available += seconds.up + seconds.degraded;
    monitored += seconds.up + seconds.degraded + seconds.down;
  }
  return monitored === 0 ? null : available / monitored;
}

/** Returns the degraded time, which uptime does not show: `3 h degraded`. Empty without any. */
export function degradedOf(buckets: readonly Timed[]): string {
  const seconds = buckets.reduce((sum, bucket) => sum + bucket.seconds.degraded, 0);
  return seconds > 0 ? `${duration(seconds * 1000)} degraded` : '';
}

/** Time ranges of charts. `by`: resolution; `results` shows each result. */
export const CHART_RANGES = [
  { key: '1h', name: '1 h', hours: 1, by: 'results' },
  { key: '24h', name: '24 h', hours: 24, by: 'hour' },
  { key: '7d', name: '7 d', hours: 7 * 24, by: 'hour' },
  { key: '30d', name: '30 d', hours: 30 * 24, by: 'day' },
  { key: '90d', name: '90 d', hours: 90 * 24, by: 'day' },
] as const;
export type ChartRange = (typeof CHART_RANGES)[number];

const YOUNG_MS = 3 * 3_600_000;

/** Returns the range in an address; default: a day, or an hour for a new check. @param age of the check in ms */
export const chartRangeOf = (text: string | null, age: number): ChartRange =>
  CHART_RANGES.find(({ key }) => key === text) ?? CHART_RANGES[age < YOUNG_MS ? 0 : 1];
