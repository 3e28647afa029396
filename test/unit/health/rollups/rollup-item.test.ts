import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeOf } from '#lib/health/rollups/accounted-span.ts';
import { emptyFigures, mergeFigures } from '#lib/health/rollups/figures.ts';
import { type CheckRollup, decodeCheck, encodeRollup, type StoredRollup } from '#lib/health/rollups/rollup-item.ts';
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
  it('comes back from its item as it was', () => {
    fc.assert(
      fc.property(cell, (checks) => {
        const stored = JSON.parse(JSON.stringify(encodeRollup(checks)));
        expect(Object.keys(stored).map(Number)).toEqual([...checks.keys()].toSorted((a, b) => a - b));
        for (const [number, check] of checks) expect(decodeCheck(stored, number, HOUR)).toEqual(check);
        expect(decodeCheck(stored, 50, HOUR)).toBeUndefined();
      }),
    );
  });

  it('is the same item in whatever order its checks came', () => {
    fc.assert(
      fc.property(cell, (checks) => {
        const reversed = new Map([...checks].toReversed());
        expect(JSON.stringify(encodeRollup(reversed))).toBe(JSON.stringify(encodeRollup(checks)));
      }),
    );
  });

  it('of an hour of 60 successes says only that', () => {
    expect(encodeRollup(new Map([[7, upAll(HOUR, 60, 'steady')]]))).toEqual({
      7: { runs: 60, time: 'u', latency: expect.stringMatching(/^[\w-]{37,38}$/) },
    });
  });

  it('keeps how long a check was what, and not when, of one that flaps more than 500 times', () => {
    const spans = flapping(501);
    const check = { ...emptyFigures(), ...timeOf(spans), spans };
    expect(decodeCheck(encodeRollup(new Map([[0, check]])), 0, HOUR)).toEqual({ ...check, spans: null });
  });

  it('that was written wrongly is refused', () => {
    expect(() => decodeCheck({ 3: { time: 'u60000' } }, 3, HOUR)).toThrow('does not say what');
  });
});

/** A check that was up all the time, with runs that all succeeded. */
function upAll(window: typeof HOUR, runs: number, spread: Parameters<typeof latencies>[1]): CheckRollup {
  const spans = [{ ...window, as: 'up' as const, in_maintenance: false }];
  return { ...emptyFigures(), ...timeOf(spans), runs, latency: histogramOf(latencies(runs, spread)), spans };
}

/** So many spans of equal length, up and down by turns. */
const flapping = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    from: HOUR.from + Math.floor((i * 3_600_000) / count),
    to: HOUR.from + Math.floor(((i + 1) * 3_600_000) / count),
    as: i % 2 === 0 ? ('up' as const) : ('down' as const),
    in_maintenance: false,
  }));

/** Bytes of JSON of the item of a cell with 50 such checks; throws when it is over the limit of one item. */
function bytesOf(check: CheckRollup): number {
  const checks = encodeRollup(new Map(Array.from({ length: 50 }, (_, number) => [number, check])));
  const item: Item & { checks: StoredRollup } = { pk: 'p', sk: 's', checks };
  return itemText(item).length;
}

describe('the item of a cell of 50 checks', () => {
  it.each([
    ['an hour of one-minute runs', 'usual', 5_200, HOUR, 60],
    ['an hour of one-minute runs', 'wide', 8_000, HOUR, 60],
    ['an hour of one-second runs', 'usual', 10_600, HOUR, 3_600],
    ['a day of one-minute runs', 'usual', 8_500, DAY, 1_440],
    ['a day of ten-second runs', 'usual', 11_600, DAY, 8_640],
  ] as const)('for %s with a %s spread of latencies has at most %i bytes', (_, spread, most, window, runs) => {
    expect(bytesOf(upAll(window, runs, spread))).toBeLessThanOrEqual(most);
  });

  it('stays within an item when each has all that is ever kept', () => {
    const all = mergeFigures([
      upAll(HOUR, 86_400, 'wide'),
      {
        ...emptyFigures(),
        runs: 1e6,
        failures: 1e6,
        warnings: 1e6,
        gaps: { late: 1e6, outage: 1e6, network: 1e6, error: 1e6 },
      },
    ]);
    const spans = flapping(500);
    expect(bytesOf({ ...all, ...timeOf(spans), spans })).toBeLessThan(170_000);
  });
});
