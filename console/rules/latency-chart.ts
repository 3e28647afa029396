import type { CheckBucket, Gap, Result } from '#console/api/records.ts';
import { count } from './words.ts';

/** A time range on the chart, or a single result; times in epoch ms. */
export type ChartPoint = {
  from: number;
  to: number;
  /** Median and 95th percentile of the latency in ms; null without successes. A single result has no percentile. */
  typical: number | null;
  slow: number | null;
  runs: number;
  failures: number;
  warnings: number;
};

type ChartGap = { from: number; to: number; why: string };

export type Chart = { from: number; to: number; points: readonly ChartPoint[]; gaps: readonly ChartGap[] };

const CAUSE: Readonly<Record<Gap['cause'], string>> = {
  outage: 'the service was not running',
  network: 'the network of the service failed',
  error: 'internal error of the service',
  cpu_budget: 'expressions and documents used the CPU budget of the account',
  late: 'a probe was late',
};

export const gapsOf = (gaps: readonly Gap[]): ChartGap[] =>
  gaps.map(({ from, to, cause }) => ({ from: Date.parse(from), to: Date.parse(to), why: CAUSE[cause] }));

const ABSENT = 'the check was disabled or did not exist';
const MISSED = 'due but not probed';

/** Returns buckets that are at least half gap, neighbors merged by cause. @param missed whether missed probes count */
export function gapsOfBuckets(buckets: readonly CheckBucket[], missed: boolean): ChartGap[] {
  const gaps: ChartGap[] = [];
  for (const bucket of buckets) {
    const [from, to] = [Date.parse(bucket.from), Date.parse(bucket.to)];
    const half = (to - from) / 2000;
    const { gap, not_monitored } = bucket.seconds;
    const why = not_monitored >= half ? ABSENT : missed && gap >= half ? MISSED : undefined;
    const last = gaps.at(-1);
    if (why && last?.to === from && last.why === why) gaps[gaps.length - 1] = { ...last, to };
    else if (why) gaps.push({ from, to, why });
  }
  return gaps;
}

/** Returns the part of the time range before the check was created, as a gap. @param from its start (epoch ms) */
export const gapBefore = (created_at: string, from: number): ChartGap[] =>
  Date.parse(created_at) > from ? [{ from, to: Date.parse(created_at), why: ABSENT }] : [];

export const pointsOfBuckets = (buckets: readonly CheckBucket[]): ChartPoint[] =>
  buckets.map(({ from, to, latency, runs, failures, warnings }) => ({
    from: Date.parse(from),
    to: Date.parse(to),
    typical: latency?.p50_ms ?? null,
    slow: latency?.p95_ms ?? null,
    runs,
    failures,
    warnings,
  }));

/** @param results newest first @param interval ms between results */
export const pointsOfResults = (results: readonly Result[], interval: number): ChartPoint[] =>
  results.toReversed().map(({ checked_at, latency_ms, success, outcome }) => ({
    from: Date.parse(checked_at),
    to: Date.parse(checked_at) + interval,
    typical: success ? latency_ms : null,
    slow: null,
    runs: 1,
    failures: success ? 0 : 1,
    warnings: outcome === 'warn' ? 1 : 0,
  }));

/** Returns the top of the scale: the smallest of 1, 2, 5, 10, … ms that is at least the greatest value. */
export function topOf(points: readonly ChartPoint[]): number {
  const peak = points.reduce((max, { typical, slow }) => Math.max(max, typical ?? 0, slow ?? 0), 1);
  const power = 10 ** Math.floor(Math.log10(peak));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= peak)!;
}

const WIDTH = 1000;
const HEIGHT = 100;

export const VIEW_BOX = `0 0 ${WIDTH} ${HEIGHT}`;

/** Returns the SVG path of a value, broken at missing values. A single value becomes a short stroke. */
export function linePath({ from, to, points }: Chart, value: (point: ChartPoint) => number | null): string {
  const top = topOf(points);
  const x = (at: number) => round(((at - from) / Math.max(1, to - from)) * WIDTH);
  let path = '';
  let isOpen = false;
  for (const [i, point] of points.entries()) {
    const ms = value(point);
    if (ms === null) {
      isOpen = false;
      continue;
    }
    const next = points[i + 1];
    const isAlone = !isOpen && (!next || value(next) === null);
    const y = round(HEIGHT - (ms / top) * HEIGHT);
    const at = x(Math.min(to, (point.from + point.to) / 2));
    path += isAlone ? `M${round(at - 2)} ${y}h4` : `${isOpen ? 'L' : 'M'}${at} ${y}`;
    isOpen = true;
  }
  return path;
}

const round = (n: number): number => Math.round(n * 10) / 10;

/** Returns the position of a time range in percent of the width, clipped to the chart; undefined if outside. */
export function placeOf(
  { from, to }: Pick<Chart, 'from' | 'to'>,
  range: { from: number; to: number },
): { left: number; width: number } | undefined {
  const [begin, end] = [Math.max(from, range.from), Math.min(to, range.to)];
  if (begin >= end || to <= from) return undefined;
  return { left: round(((begin - from) / (to - from)) * 100), width: round(((end - begin) / (to - from)) * 100) };
}

export function chartSummary({ points, gaps }: Chart): string {
  const runs = points.reduce((sum, point) => sum + point.runs, 0);
  const failures = points.reduce((sum, point) => sum + point.failures, 0);
  if (runs === 0) return 'Latency: no results in this time range';
  const typical = points.flatMap((point) => (point.typical === null ? [] : [point.typical]));
  const range = typical.length > 0 ? `typically ${Math.min(...typical)} to ${Math.max(...typical)} ms, ` : '';
  const gapText = gaps.length > 0 ? `, ${count(gaps.length, 'gap')}` : '';
  return `Latency: ${range}${count(runs, 'result')}, ${failures} failed${gapText}`;
}
