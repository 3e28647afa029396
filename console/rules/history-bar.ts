import type { CheckBucket } from '#console/api/records.ts';
import { uptimeOf } from './uptime.ts';

/** Part of a history. `up`: share of the time that was not down; null if there is no data. */
export type Bucket = { up: number | null; degraded: boolean };

export const barOf = (buckets: readonly Pick<CheckBucket, 'seconds'>[]): Bucket[] =>
  buckets.map((bucket) => ({ up: uptimeOf([bucket]), degraded: bucket.seconds.degraded > 0 }));

/** Look of one part. `gap`: no data. `part`: partly down. */
type Shade = 'up' | 'degraded' | 'part' | 'down' | 'gap';

export const shadeOf = ({ up, degraded }: Bucket): Shade => {
  if (up === null) return 'gap';
  if (up >= 1) return degraded ? 'degraded' : 'up';
  return up <= 0 ? 'down' : 'part';
};

const SHADES: readonly Shade[] = ['up', 'degraded', 'part', 'down', 'gap'];

/** Top edge of each shade as a share of the height, so that color is not the only distinction. */
const TOP: Readonly<Record<Shade, number>> = { up: 0, degraded: 0.2, part: 0.4, down: 0.6, gap: 0.85 };

/** Returns one SVG path per shade. Five paths render as fast for 500 parts as for 5. */
export function barPaths(buckets: readonly Bucket[], width: number, height: number): Readonly<Record<Shade, string>> {
  const paths: Record<Shade, string> = { up: '', degraded: '', part: '', down: '', gap: '' };
  const step = width / Math.max(1, buckets.length);
  const wide = round(step * (buckets.length > 100 ? 1 : 0.75));
  for (const [i, bucket] of buckets.entries()) {
    const shade = shadeOf(bucket);
    paths[shade] += `M${round(i * step)} ${round(TOP[shade] * height)}h${wide}V${height}h${-wide}z`;
  }
  return paths;
}

const round = (n: number): number => Math.round(n * 100) / 100;

/** Describes a bar: `Last 24 h: 22 up, 1 partly down, 1 without data`. */
export function barSummary(buckets: readonly Bucket[], title: string): string {
  if (buckets.length === 0) return `${title}: no data`;
  const words: Record<Shade, string> = {
    up: 'up',
    degraded: 'degraded',
    part: 'partly down',
    down: 'down',
    gap: 'without data',
  };
  const counted = SHADES.map((shade) => [buckets.filter((bucket) => shadeOf(bucket) === shade).length, words[shade]]);
  const parts = counted.filter(([n]) => n !== 0).map((pair) => pair.join(' '));
  return `${title}: ${parts.join(', ')}`;
}
