import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeOf } from '#lib/history/rollups/classify-time.ts';
import { emptyFigures, mergeFigures } from '#lib/history/rollups/figures.ts';
import {
  type CheckRollup,
  decodeLatency,
  decodeRollup,
  encodeLatencies,
  encodeRollup,
} from '#lib/history/rollups/rollup-item.ts';
import type { Item } from '#lib/platform/ports.ts';
import { itemText } from '#lib/platform/table/item-limits.ts';
import { someFigures, someSpans } from './some-figures.ts';
import { histogramOf, latencies } from './some-latencies.ts';

const HOUR = { from: Date.parse('2026-11-21T05:00:00Z'), to: Date.parse('2026-11-21T06:00:00Z') };
const DAY = { from: Date.parse('2026-11-21T00:00:00Z'), to: Date.parse('2026-11-22T00:00:00Z') };

const someRollup = someSpans(HOUR).chain((spans) =>
  fc
    .tuple(someFigures(spans), fc.boolean())
    .map(([figures, kept]): CheckRollup => ({ ...figures, spans: kept ? spans : null })),
);
const cell = fc.array(fc.tuple(fc.nat({ max: 49 }), someRollup), { maxLength: 10 }).map((checks) => new Map(checks));

describe('a rollup', () => {
  it('decodes its items', () => {
    fc.assert(
      fc.property(cell, (checks) => {
        const [stored, latencies] = JSON.parse(JSON.stringify([encodeRollup(checks), encodeLatencies(checks)]));
        expect(Object.keys(stored).map(Number)).toEqual([...checks.keys()].toSorted((a, b) => a - b));
        for (const [number, { latency, ...check }] of checks) {
          expect(decodeRollup(stored, number, HOUR)).toEqual(check);
          expect(decodeLatency(latencies, number)).toEqual(latency);
        }
        expect(decodeRollup(stored, 50, HOUR)).toBeUndefined();
        expect(decodeLatency(latencies, 50).count).toBe(0);
      }),
    );
  });

  it('encodes equally for any order of checks', () => {
    fc.assert(
      fc.property(cell, (checks) => {
        const reversed = new Map([...checks].toReversed());
        for (const encode of [encodeRollup, encodeLatencies]) {
          expect(JSON.stringify(encode(reversed))).toBe(JSON.stringify(encode(checks)));
        }
      }),
    );
  });

  it('encodes an hour of 60 successes in minimal form', () => {
    const checks = new Map([[7, upAll(HOUR, 60, 'steady')]]);
    expect(encodeRollup(checks)).toEqual({ 7: { runs: 60, time: 'u' } });
    expect(encodeLatencies(checks)).toEqual({ 7: expect.stringMatching(/^[\w-]{37,38}$/) });
  });

  it('keeps only the totals of a check with more than 500 spans', () => {
    const spans = flapping(501);
    const check = { ...emptyFigures(), ...timeOf(spans), spans };
    const { latency: _, ...rollup } = check;
    expect(decodeRollup(encodeRollup(new Map([[0, check]])), 0, HOUR)).toEqual({ ...rollup, spans: null });
  });

  it('rejects an invalid item', () => {
    expect(() => decodeRollup({ 3: { time: 'u60000' } }, 3, HOUR)).toThrow(/spans "/);
  });
});

/** Returns the rollup of a check that was up all the time, with successful results only. */
function upAll(window: typeof HOUR, runs: number, spread: Parameters<typeof latencies>[1]): CheckRollup {
  const spans = [{ ...window, as: 'up' as const, in_maintenance: false }];
  return { ...emptyFigures(), ...timeOf(spans), runs, latency: histogramOf(latencies(runs, spread)), spans };
}

/** Returns alternating spans of about equal length, up and down. */
const flapping = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    from: HOUR.from + Math.floor((i * 3_600_000) / count),
    to: HOUR.from + Math.floor(((i + 1) * 3_600_000) / count),
    as: i % 2 === 0 ? ('up' as const) : ('down' as const),
    in_maintenance: false,
  }));

/** Returns the sizes in bytes of the items of a cell with 50 such checks, as JSON; throws if one exceeds the limit. */
function bytesOf(check: CheckRollup): { rollup: number; latencies: number } {
  const checks = new Map(Array.from({ length: 50 }, (_, number) => [number, check]));
  const bytes = (of: Record<string, unknown>) => itemText({ pk: 'p', sk: 's', of } as Item).length;
  return { rollup: bytes(encodeRollup(checks)), latencies: bytes(encodeLatencies(checks)) };
}

describe('the items of a cell of 50 checks', () => {
  it.each([
    ['an hour of one-minute runs', 'usual', 1_450, 3_800, HOUR, 60],
    ['an hour of one-minute runs', 'wide', 1_450, 6_600, HOUR, 60],
    ['an hour of one-second runs', 'usual', 1_550, 9_200, HOUR, 3_600],
    ['a day of one-minute runs', 'usual', 1_550, 7_000, DAY, 1_440],
    ['a day of ten-second runs', 'usual', 1_550, 10_200, DAY, 8_640],
  ] as const)(
    'for %s with a %s spread of latencies have at most %i and %i bytes',
    (_, spread, rollup, latencies, window, runs) => {
      const bytes = bytesOf(upAll(window, runs, spread));
      expect(bytes.rollup).toBeLessThanOrEqual(rollup);
      expect(bytes.latencies).toBeLessThanOrEqual(latencies);
    },
  );

  it('stay within the item limit when each check has 500 spans and large counts', () => {
    const all = mergeFigures([
      upAll(HOUR, 86_400, 'wide'),
      {
        ...emptyFigures(),
        runs: 1e6,
        failures: 1e6,
        warnings: 1e6,
        gaps: { late: 1e6, outage: 1e6, network: 1e6, error: 1e6, cpu_budget: 1e6 },
      },
    ]);
    const spans = flapping(500);
    expect(bytesOf({ ...all, ...timeOf(spans), spans }).rollup).toBeLessThan(170_000);
  });
});
