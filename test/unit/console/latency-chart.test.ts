import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckBucket, Result } from '#console/api/records.ts';
import {
  type Chart,
  type ChartPoint,
  chartSummary,
  gapBefore,
  gapsOf,
  gapsOfBuckets,
  linePath,
  placeOf,
  pointsOfBuckets,
  pointsOfResults,
  topOf,
} from '#console/rules/latency-chart.ts';

const HOUR = 3_600_000;
const point = (from: number, typical: number | null): ChartPoint => ({
  from,
  to: from + 10,
  typical,
  slow: null,
  runs: 1,
  failures: typical === null ? 1 : 0,
  warnings: 0,
});
const chartOf = (values: (number | null)[]): Chart => ({
  from: 0,
  to: values.length * 10,
  points: values.map((value, i) => point(i * 10, value)),
  gaps: [],
});
const values = fc.array(fc.option(fc.nat(60_000)), { minLength: 1, maxLength: 50 });
const typical = ({ typical }: ChartPoint) => typical;

const bucket = (hour: number, more: Partial<CheckBucket['seconds']> = {}): CheckBucket => ({
  from: new Date(hour * HOUR).toISOString(),
  to: new Date((hour + 1) * HOUR).toISOString(),
  complete: true,
  revised_at: null,
  known_since: null,
  runs: 2,
  failures: 1,
  warnings: 0,
  gaps: 0,
  success_ratio: 0.5,
  uptime: 1,
  coverage: 1,
  seconds: { up: 0, degraded: 0, down: 0, unknown: 0, gap: 0, maintenance: 0, not_monitored: 0, ...more },
  down_in_maintenance_seconds: 0,
  latency: { count: 1, min_ms: 1, mean_ms: 5, p50_ms: 4, p95_ms: 9, p99_ms: 9, max_ms: 9 },
});

describe('linePath', () => {
  it('stays within its box, whose top is 1, 2, or 5 times a power of ten', () => {
    fc.assert(
      fc.property(values, (all) => {
        const chart = chartOf(all);
        expect(topOf(chart.points)).toBeGreaterThanOrEqual(Math.max(...all.map((value) => value ?? 0)));
        expect(String(topOf(chart.points))).toMatch(/^[125]0*$/);
        for (const [, x, y] of linePath(chart, typical).matchAll(/[ML]([-\d.]+) ([-\d.]+)/g)) {
          expect(Number(x)).toBeGreaterThanOrEqual(-2);
          expect(Number(x)).toBeLessThanOrEqual(1000);
          expect(Number(y)).toBeGreaterThanOrEqual(0);
          expect(Number(y)).toBeLessThanOrEqual(100);
        }
      }),
    );
  });

  it('starts a new segment after a missing value', () => {
    fc.assert(
      fc.property(values, (all) => {
        const begins = all.filter((value, i) => value !== null && (all[i - 1] ?? null) === null).length;
        expect(linePath(chartOf(all), typical).split('M')).toHaveLength(begins + 1);
      }),
    );
  });
});

describe('latency chart', () => {
  it('places a time range within the chart, and returns undefined for a range outside', () => {
    fc.assert(
      fc.property(fc.integer({ min: -50, max: 150 }), fc.integer({ min: 1, max: 50 }), (from, length) => {
        const place = placeOf({ from: 0, to: 100 }, { from, to: from + length });
        expect(place === undefined).toBe(from >= 100 || from + length <= 0);
        if (place) expect(place.left + place.width).toBeLessThanOrEqual(100.1);
      }),
    );
  });

  it('shows median, 95th percentile and failures of a bucket', () => {
    expect(pointsOfBuckets([bucket(0)])).toEqual([
      { from: 0, to: HOUR, typical: 4, slow: 9, runs: 2, failures: 1, warnings: 0 },
    ]);
  });

  it('shows each result, oldest first, without the latency of failures', () => {
    const result = (at: number, success: boolean) =>
      ({
        checked_at: new Date(at).toISOString(),
        latency_ms: 7,
        success,
        outcome: success ? 'warn' : 'fail',
      }) as Result;
    expect(pointsOfResults([result(60_000, false), result(0, true)], 60_000)).toEqual([
      { from: 0, to: 60_000, typical: 7, slow: null, runs: 1, failures: 0, warnings: 1 },
      { from: 60_000, to: 120_000, typical: null, slow: null, runs: 1, failures: 1, warnings: 0 },
    ]);
  });

  it('returns gaps with their cause, and merges adjacent ones', () => {
    const off = { not_monitored: 3600 };
    expect(gapsOfBuckets([bucket(0, off), bucket(1, off), bucket(2, { gap: 3000 }), bucket(3)], true)).toEqual([
      { from: 0, to: 2 * HOUR, why: expect.stringContaining('disabled') },
      { from: 2 * HOUR, to: 3 * HOUR, why: expect.stringContaining('not probed') },
    ]);
    expect(gapsOfBuckets([bucket(2, { gap: 3000 })], false)).toEqual([]);
    const [from, to] = ['2026-11-22T10:00:00.000Z', '2026-11-22T10:05:00.000Z'];
    expect(gapsOf([{ from, to, slots: 5, cause: 'network' }])[0]!.why).toMatch(/network/);
    expect(gapBefore(to, Date.parse(from))).toEqual([
      { from: Date.parse(from), to: Date.parse(to), why: expect.any(String) },
    ]);
    expect(gapBefore(from, Date.parse(to))).toEqual([]);
  });

  it('describes the chart', () => {
    const gaps = [{ from: 0, to: 10, why: 'x' }];
    expect(chartSummary({ ...chartOf([5, null, 9]), gaps })).toBe(
      'Latency: typically 5 to 9 ms, 3 results, 1 failed, 1 gap',
    );
    expect(chartSummary({ from: 0, to: 1, points: [], gaps: [] })).toMatch(/no results/);
  });
});
