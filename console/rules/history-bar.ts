/** A stretch of a history: how much of it was up, or null where nobody watched. */
export type Bucket = { from: string; to: string; up: number | null };

/** What one stretch looks like. `gap`: not watched. `part`: some of it was down. */
type Shade = 'up' | 'part' | 'down' | 'gap';

export const shadeOf = ({ up }: Pick<Bucket, 'up'>): Shade => {
  if (up === null) return 'gap';
  if (up >= 1) return 'up';
  return up <= 0 ? 'down' : 'part';
};

const SHADES: readonly Shade[] = ['up', 'part', 'down', 'gap'];

/** Height of each shade, of 1: what is not up is told by its shape too. */
const TOP: Readonly<Record<Shade, number>> = { up: 0, part: 0.35, down: 0.6, gap: 0.85 };

/**
 * A path a shade, in a box of `width` by `height`; each stretch is a bar with a gap of a quarter beside it. Four paths
 * draw as fast for 500 stretches as for 5.
 */
export function barPaths(buckets: readonly Bucket[], width: number, height: number): Readonly<Record<Shade, string>> {
  const paths: Record<Shade, string> = { up: '', part: '', down: '', gap: '' };
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
  const words: Record<Shade, string> = { up: 'up', part: 'partly down', down: 'down', gap: 'not watched' };
  const counted = SHADES.map((shade) => [buckets.filter((bucket) => shadeOf(bucket) === shade).length, words[shade]]);
  const told = counted.filter(([n]) => n !== 0).map((pair) => pair.join(' '));
  return `${title}: ${told.join(', ')}`;
}
