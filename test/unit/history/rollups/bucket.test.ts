import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketRecord, CheckBucket, EntityBucket, entityBucketRecord } from '#lib/history/rollups/buckets.ts';
import { TIME_KINDS, zeroTime } from '#lib/history/rollups/classify-time.ts';
import { emptyFigures, type Figures, mergeEntityFigures, mergeFigures } from '#lib/history/rollups/figures.ts';
import { someFigures, someSpans } from './some-figures.ts';
import { histogramOf } from './some-latencies.ts';

const DAY = {
  from: Date.parse('2026-11-20T00:00:00Z'),
  to: Date.parse('2026-11-21T00:00:00Z'),
  complete: true,
  revised_at: null,
  known_since: null,
};

/** Returns figures of a check with these times (ms) of each kind. */
const lasting = (ms: Partial<Figures['ms']>): Figures => ({ ...emptyFigures(), ms: { ...zeroTime().ms, ...ms } });

const figures = someSpans(DAY).chain(someFigures);

describe('a bucket', () => {
  it('describes a day with an outage of nine minutes and three slots without a probe', () => {
    const day = {
      ...lasting({ up: 85_680_000, down: 540_000, gap: 180_000 }),
      runs: 1437,
      failures: 9,
      gaps: { late: 1, outage: 2, network: 0, error: 0, cpu_budget: 0 },
      latency: histogramOf([...new Array(1427).fill(20), 26]),
    };
    expect(bucketRecord(day, DAY)).toEqual({
      from: '2026-11-20T00:00:00.000Z',
      to: '2026-11-21T00:00:00.000Z',
      complete: true,
      revised_at: null,
      known_since: null,
      runs: 1437,
      failures: 9,
      warnings: 0,
      gaps: 3,
      success_ratio: 0.993736,
      uptime: 0.993736,
      coverage: 0.997916,
      seconds: { up: 85680, degraded: 0, down: 540, unknown: 0, gap: 180, maintenance: 0, not_monitored: 0 },
      down_in_maintenance_seconds: 0,
      latency: { count: 1428, min_ms: 20, mean_ms: 20, p50_ms: 20, p95_ms: 20, p99_ms: 20, max_ms: 26 },
    });
  });

  it('has no ratio and no latency without data', () => {
    const { success_ratio, uptime, coverage, latency } = bucketRecord(
      lasting({ maintenance: 3_600_000, not_monitored: 82_800_000 }),
      DAY,
    );
    expect({ success_ratio, uptime, coverage, latency }).toEqual({
      success_ratio: null,
      uptime: null,
      coverage: null,
      latency: null,
    });
  });

  it('counts degraded time as available, and leaves unknown time and gaps out of uptime but not of coverage', () => {
    const record = bucketRecord(lasting({ degraded: 1000, unknown: 2000, gap: 1000 }), DAY);
    expect([record.uptime, record.coverage]).toEqual([1, 0.25]);
  });

  it('has an uptime below 1 with one millisecond of downtime in 400 days of 500 checks', () => {
    const whole = 500 * 400 * 86_400_000;
    expect(bucketRecord(lasting({ up: whole - 1, down: 1 }), DAY).uptime).toBe(0.999999);
    expect(bucketRecord(lasting({ up: whole }), DAY).uptime).toBe(1);
  });

  it('truncates its uptime where a double would round up', () => {
    const [part, whole] = [9_601_925_759_446, 17_279_999_999_003];
    expect(bucketRecord(lasting({ up: part, down: whole - part }), DAY).uptime).toBe(0.555666);
  });

  it('truncates its ratios after six decimals, and matches the API schema', () => {
    fc.assert(
      fc.property(figures, (given) => {
        const record = bucketRecord(given, DAY);
        expect(CheckBucket.parse(record)).toEqual(record);
        const { up, degraded, down } = given.ms;
        const millionths = record.uptime === null ? null : Math.round(record.uptime * 1e6);
        // The milliseconds of a day, times a million, are below 2^53: exact without big integers.
        expect(millionths).toBe(
          up + degraded + down === 0 ? null : Math.floor(((up + degraded) * 1e6) / (up + degraded + down)),
        );
        expect(record.uptime === 1).toBe(up + degraded > 0 && down === 0);
      }),
    );
  });

  it('has seconds that add up to its length, to the millisecond', () => {
    fc.assert(
      fc.property(figures, (given) => {
        const { seconds } = bucketRecord(given, DAY);
        const ms = TIME_KINDS.map((kind) => Math.round(seconds[kind] * 1000));
        expect(ms.reduce((sum, one) => sum + one, 0)).toBe(DAY.to - DAY.from);
        for (const kind of TIME_KINDS) expect(`${seconds[kind]}`).toMatch(/^\d+(\.\d{1,3})?$/);
      }),
    );
  });

  it('is the same for an entity as for a check, but with only the mean latency, if it was read', () => {
    fc.assert(
      fc.property(figures, (given) => {
        const { latency, ...record } = bucketRecord(given, { ...DAY, revised_at: DAY.to + 1 });
        const status = { ...DAY, revised_at: DAY.to + 1 };
        const ofEntity = entityBucketRecord(given, status, given.latency);
        expect(ofEntity).toEqual({ ...record, mean_latency_ms: latency?.mean_ms ?? null });
        expect(EntityBucket.parse(ofEntity)).toEqual({ ...ofEntity, revised_at: '2026-11-21T00:00:00.001Z' });
        expect(entityBucketRecord(given, status).mean_latency_ms).toBeNull();
      }),
    );
  });
});

describe('figures', () => {
  it('merge equally in any order and grouping, without changing the inputs', () => {
    fc.assert(
      fc.property(figures, figures, figures, (a, b, c) => {
        const before = structuredClone([a, b, c]);
        const whole = mergeFigures([a, b, c]);
        expect(mergeFigures([mergeFigures([c, a]), b])).toEqual(whole);
        expect(whole.runs).toBe(a.runs + b.runs + c.runs);
        expect(whole.gaps.network).toBe(a.gaps.network + b.gaps.network + c.gaps.network);
        expect(whole.ms.down).toBe(a.ms.down + b.ms.down + c.ms.down);
        expect(whole.latency.count).toBe(a.latency.count + b.latency.count + c.latency.count);
        expect([a, b, c]).toEqual(before);
        const { latency, ...ofEntity } = whole;
        expect(mergeEntityFigures([c, b, a])).toEqual(ofEntity);
      }),
    );
  });

  it('do not change when merged with empty figures', () => {
    fc.assert(
      fc.property(figures, (given) => {
        expect(mergeFigures([emptyFigures(), given])).toEqual(given);
      }),
    );
    expect(mergeFigures([])).toEqual(emptyFigures());
  });
});
