import type { CheckBucket } from '#console/api/records.ts';
import { uptimeOf } from './uptime.ts';

/** A stretch of a history: how much of it was not down, or null where nobody watched. */
export type Bucket = { up: number | null; degraded: boolean };

/** The stretches of a history as a bar has them. */
export const barOf = (buckets: readonly Pick<CheckBucket, 'seconds'>[]): Bucket[] =>
  buckets.map((bucket) => ({ up: uptimeOf([bucket]), degraded: bucket.seconds.degraded > 0 }));

/** What one stretch looks like. `gap`: not watched. `part`: some of it was down. */
type Shade = 'up' | 'degraded' | 'part' | 'down' | 'gap';

export const shadeOf = ({ up, degraded }: Bucket): Shade => {
  if (up === null) return 'gap';
  if (up >= 1) return degraded ? 'degraded' : 'up';
  return up <= 0 ? 'down' : 'part';
};

const SHADES: readonly Shade[] = ['up', 'degraded', 'part', 'down', 'gap'];

/** Height of each shade, of 1: what is not up is told by its shape too. */
const TOP: Readonly<Record<Shade, number>> = { up: 0, degraded: 0.2, part: 0.4, down: 0.6, gap: 0.85 };

/**
 * A path a shade, in a box of `width` by `height`; each stretch is a bar with a gap of a quarter beside it. Five paths
 * draw as fast for 500 stretches as for 5.
 */
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

/** What the bar says in words: `Last 24 h: 22 up, 1 partly down, 1 not watched`. */
export function barSummary(buckets: readonly Bucket[], title: string): string {
  if (buckets.length === 0) return `${title}: nothing yet`;
  const words: Record<Shade, string> = {
    up: 'up',
    degraded: 'degraded',
    part: 'partly down',
    down: 'down',
    gap: 'not watched',
  };
  const counted = SHADES.map((shade) => [buckets.filter((bucket) => shadeOf(bucket) === shade).length, words[shade]]);
  const told = counted.filter(([n]) => n !== 0).map((pair) => pair.join(' '));
  return `${title}: ${told.join(', ')}`;
}
