import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addLatency,
  decodeHistogram,
  emptyHistogram,
  encodeHistogram,
  type LatencyHistogram,
  mergeHistograms,
  percentile,
} from '#lib/history/rollups/latency-histogram.ts';
import { histogramOf, latencies } from './some-latencies.ts';

const DAY_MS = 86_400_000;

/** Latency in ms: small, realistic, or any that a push may report. */
const latency = fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 30_000 }), fc.nat({ max: DAY_MS }));
const values = fc.array(latency, { maxLength: 200 });
const some = fc.array(latency, { minLength: 1, maxLength: 200 });

const bytesOf = (histogram: LatencyHistogram) => Buffer.from(encodeHistogram(histogram), 'base64url').length;

describe('a percentile', () => {
  it('is off by at most 2.2 % plus half a millisecond, and exact below 27 ms', () => {
    fc.assert(
      fc.property(some, fc.integer({ min: 1, max: 100 }), (list, percent) => {
        const nearest = list.toSorted((a, b) => a - b)[Math.ceil((percent * list.length) / 100) - 1]!;
        const read = percentile(histogramOf(list), percent);
        expect(Math.abs(read - nearest)).toBeLessThanOrEqual(nearest < 27 ? 0 : nearest * 0.022 + 0.5);
        expect(read).toBeGreaterThanOrEqual(Math.min(...list));
        expect(read).toBeLessThanOrEqual(Math.max(...list));
        expect(Number.isInteger(read)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('returns the value of its rank for 100 values', () => {
    const histogram = histogramOf(Array.from({ length: 100 }, (_, i) => (i < 95 ? 20 : 25)));
    expect([50, 95, 96, 100].map((percent) => percentile(histogram, percent))).toEqual([20, 20, 25, 25]);
  });
});

describe('a histogram', () => {
  it('has exact count, sum, minimum and maximum', () => {
    fc.assert(
      fc.property(some, (list) => {
        const { count, sum, min, max } = histogramOf(list);
        expect({ count, sum, min, max }).toEqual({
          count: list.length,
          sum: list.reduce((total, value) => total + value, 0),
          min: Math.min(...list),
          max: Math.max(...list),
        });
      }),
    );
  });

  it('puts every whole number within the borders of its bin', () => {
    for (let k = 1; k <= 27 * 16; k++) {
      const border = Math.floor(2 ** (k / 16));
      for (const value of [border, border + 1].filter((one) => one <= 2 ** 27)) {
        const bin = histogramOf([value]).bins.indexOf(1);
        // 2^((bin - 2) / 16) < value <= 2^((bin - 1) / 16), without fractions.
        const power = BigInt(value) ** 16n;
        expect(power <= 2n ** BigInt(bin - 1)).toBe(true);
        expect(bin === 1 ? value === 1 : power > 2n ** BigInt(bin - 2)).toBe(true);
      }
    }
  });

  it('counts latencies over 37 hours as 37 hours', () => {
    expect(histogramOf([2 ** 30])).toEqual(histogramOf([2 ** 27]));
  });

  it('encodes to the same text for any order and grouping of merges', () => {
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        const [x, y, z] = [histogramOf(a), histogramOf(b), histogramOf(c)];
        const whole = encodeHistogram(histogramOf([...a, ...b, ...c]));
        expect(encodeHistogram(mergeHistograms([x, y, z]))).toBe(whole);
        expect(encodeHistogram(mergeHistograms([mergeHistograms([z, x]), y]))).toBe(whole);
        expect(encodeHistogram(mergeHistograms([x, mergeHistograms([z, y])]))).toBe(whole);
      }),
    );
  });

  it('does not change the histograms that it merges', () => {
    const [a, b] = [histogramOf([1, 2]), histogramOf([2])];
    addLatency(mergeHistograms([a, b]), 2);
    expect([a, b]).toEqual([histogramOf([1, 2]), histogramOf([2])]);
  });

  it('decodes its text', () => {
    fc.assert(
      fc.property(values, (list) => {
        expect(decodeHistogram(encodeHistogram(histogramOf(list)))).toEqual(histogramOf(list));
      }),
    );
    expect(encodeHistogram(emptyHistogram())).toBe('');
  });

  it('rejects an invalid text', () => {
    expect(() => decodeHistogram('AAAA')).toThrow('not a latency histogram');
    expect(() => decodeHistogram('AAAAAA')).toThrow('not a latency histogram');
  });

  it.each([
    [60, 'steady', 28],
    [60, 'usual', 46],
    [60, 'wide', 84],
    [3_600, 'usual', 159],
    [3_600, 'wide', 278],
    [86_400, 'wide', 440],
  ] as const)('takes for %i results of a %s spread at most %i bytes', (runs, spread, most) => {
    expect(bytesOf(histogramOf(latencies(runs, spread)))).toBeLessThanOrEqual(most);
  });

  it('takes at most 4 bytes per non-empty bin, and 13 more, for up to 200 results', () => {
    fc.assert(
      fc.property(some, (list) => {
        const bins = histogramOf(list).bins.filter((count) => count > 0).length;
        expect(bytesOf(histogramOf(list))).toBeLessThanOrEqual(13 + 4 * bins);
      }),
    );
  });
});
