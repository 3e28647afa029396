import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TIME_KINDS, timeOf } from '#lib/history/rollups/classify-time.ts';
import { emptyFigures, mergeFigures } from '#lib/history/rollups/figures.ts';
import { dayRollup } from '#lib/history/rollups/make-rollup.ts';
import type { CheckRollup } from '#lib/history/rollups/rollup-item.ts';
import { someFigures, someSpans } from './some-figures.ts';

const HOUR_MS = 3_600_000;
const DAY = { from: Date.parse('2026-11-21T00:00:00Z'), to: Date.parse('2026-11-22T00:00:00Z') };
const HOURS = Array.from({ length: 24 }, (_, i) => ({
  from: DAY.from + i * HOUR_MS,
  to: DAY.from + (i + 1) * HOUR_MS,
}));

const upAll = (hour: (typeof HOURS)[number]): CheckRollup => {
  const spans = [{ ...hour, as: 'up' as const, in_maintenance: false }];
  return { ...emptyFigures(), ...timeOf(spans), runs: 60, spans };
};

const someHour = fc
  .constantFrom(...HOURS)
  .chain((hour) =>
    someSpans(hour).chain((spans) => someFigures(spans).map((figures): CheckRollup => ({ ...figures, spans }))),
  );

describe('the rollup of a day', () => {
  it('merges the rollups of its hours, and counts missing hours as not monitored', () => {
    fc.assert(
      fc.property(fc.array(someHour, { maxLength: 3 }), (hours) => {
        const { ms, ...rest } = dayRollup(hours, DAY);
        const { ms: known, ...merged } = mergeFigures(hours);
        expect(rest).toEqual({ ...merged, spans: null });
        expect(ms).toEqual({ ...known, not_monitored: known.not_monitored + (24 - hours.length) * HOUR_MS });
        expect(TIME_KINDS.reduce((sum, kind) => sum + ms[kind], 0)).toBe(DAY.to - DAY.from);
      }),
    );
  });

  it('keeps its spans only if the whole day is of one kind', () => {
    expect(dayRollup(HOURS.map(upAll), DAY)).toMatchObject({
      runs: 1440,
      ms: { up: 24 * HOUR_MS },
      spans: [{ ...DAY, as: 'up', in_maintenance: false }],
    });
    const flapped = { ...upAll(HOURS[23]!), spans: null };
    expect(dayRollup([...HOURS.slice(0, 23).map(upAll), flapped], DAY).spans).toBeNull();
    expect(dayRollup(HOURS.slice(1).map(upAll), DAY).spans).toBeNull();
  });
});
