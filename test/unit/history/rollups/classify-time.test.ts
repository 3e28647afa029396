import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EntityState } from '#lib/catalog/states.ts';
import type { TimeRange } from '#lib/history/results/gaps.ts';
import { classifyTime, TIME_KINDS, type TimeSources, timeOf, zeroTime } from '#lib/history/rollups/classify-time.ts';

const MINUTE = 60_000;
const HOUR = { from: 0, to: 60 * MINUTE };
const minutes = (from: number, to: number): TimeRange => ({ from: from * MINUTE, to: to * MINUTE });

/** Returns the times of an hour of a check: up and monitored without gaps, unless `known` overrides this. */
const inHour = (known: Partial<TimeSources>) =>
  timeOf(
    classifyTime(
      { changes: [{ at: -1, state: 'up' }], monitored: [minutes(-100, 100)], gaps: [], maintenance: [], ...known },
      HOUR,
    ),
  );

const minutesOf = (known: Partial<TimeSources>) =>
  Object.fromEntries(
    Object.entries(inHour(known).ms)
      .filter(([, ms]) => ms > 0)
      .map(([kind, ms]) => [kind, ms / MINUTE]),
  );

describe('the time of a check', () => {
  it('is up while its state is up', () => {
    expect(minutesOf({})).toEqual({ up: 60 });
  });

  it('is down from the first failed run of an outage to the first successful run', () => {
    const changes = [
      { at: -1, state: 'up' },
      { at: 10 * MINUTE, state: 'down' },
      { at: 25 * MINUTE, state: 'up' },
    ] as const;
    expect(minutesOf({ changes })).toEqual({ up: 45, down: 15 });
  });

  it('is unknown before its first state', () => {
    expect(minutesOf({ changes: [{ at: 5 * MINUTE, state: 'up' }] })).toEqual({ unknown: 5, up: 55 });
  });

  it('follows the change that was decided last, even if it counts from an earlier time', () => {
    const changes = [
      { at: 20 * MINUTE, state: 'up' },
      { at: 10 * MINUTE, state: 'down' },
      { at: 40 * MINUTE, state: 'up' },
    ] as const;
    expect(minutesOf({ changes })).toEqual({ unknown: 10, down: 30, up: 20 });
  });

  it('is not monitored rather than maintenance, maintenance rather than a gap, and a gap rather than a state', () => {
    const gaps = [minutes(10, 30)];
    expect(minutesOf({ gaps })).toEqual({ up: 40, gap: 20 });
    expect(minutesOf({ gaps, maintenance: [minutes(20, 40)] })).toEqual({ up: 30, gap: 10, maintenance: 20 });
    expect(minutesOf({ gaps, maintenance: [minutes(20, 40)], monitored: [minutes(0, 25)] })).toEqual({
      up: 10,
      gap: 10,
      maintenance: 5,
      not_monitored: 35,
    });
  });

  it('states how much of the maintenance would have been down, excluding gaps', () => {
    const changes = [{ at: 0, state: 'down' }] as const;
    const { ms, down_in_maintenance_ms } = inHour({
      changes,
      maintenance: [minutes(0, 30)],
      gaps: [minutes(0, 10)],
      monitored: [minutes(0, 20)],
    });
    expect(ms.maintenance).toBe(20 * MINUTE);
    expect(down_in_maintenance_ms).toBe(10 * MINUTE);
  });

  it('is empty for an empty range', () => {
    expect(classifyTime({ changes: [], monitored: [HOUR], gaps: [], maintenance: [] }, { from: 5, to: 5 })).toEqual([]);
  });
});

const END = 40;
const instant = fc.integer({ min: -5, max: END + 5 });
/** Random ranges. A range of zero or negative length covers nothing. */
const spans = fc.array(fc.record({ from: instant, to: instant }), { maxLength: 4 });
const state = fc.constantFrom<EntityState>('up', 'degraded', 'down', 'unknown');
const known = fc.record({
  changes: fc.array(fc.record({ at: instant, state }), { maxLength: 6 }),
  monitored: spans,
  gaps: spans,
  maintenance: spans,
});

/** Reference implementation, millisecond by millisecond. */
function naive({ changes, monitored, gaps, maintenance }: TimeSources, window: TimeRange) {
  const time = zeroTime();
  for (let at = window.from; at < window.to; at++) {
    const within = (list: readonly TimeRange[]) => list.some(({ from, to }) => from <= at && at < to);
    const now = changes.findLast((change) => change.at <= at)?.state ?? 'unknown';
    if (!within(monitored)) time.ms.not_monitored += 1;
    else if (within(maintenance)) {
      time.ms.maintenance += 1;
      if (!within(gaps) && now === 'down') time.down_in_maintenance_ms += 1;
    } else time.ms[within(gaps) ? 'gap' : now] += 1;
  }
  return time;
}

describe('accounting', () => {
  it('matches the reference implementation, and adds up to the length of the range', () => {
    fc.assert(
      fc.property(known, instant, instant, (given, from, to) => {
        const time = timeOf(classifyTime(given, { from, to }));
        expect(time).toEqual(naive(given, { from, to }));
        const sum = TIME_KINDS.reduce((total, kind) => total + time.ms[kind], 0);
        expect(sum).toBe(Math.max(to - from, 0));
      }),
      { numRuns: 500 },
    );
  });

  it('covers the range without holes, in as few spans as possible', () => {
    fc.assert(
      fc.property(known, (given) => {
        const found = classifyTime(given, { from: 0, to: END });
        expect(found.map(({ from }) => from)).toEqual([0, ...found.slice(0, -1).map(({ to }) => to)]);
        expect(found.at(-1)!.to).toBe(END);
        for (const [i, { as, in_maintenance }] of found.entries()) {
          expect([found[i + 1]?.as, found[i + 1]?.in_maintenance]).not.toEqual([as, in_maintenance]);
        }
      }),
    );
  });

  it('is additive over two parts of a range', () => {
    fc.assert(
      fc.property(known, fc.nat({ max: END }), (given, middle) => {
        const parts = [
          { from: 0, to: middle },
          { from: middle, to: END },
        ].map((part) => timeOf(classifyTime(given, part)));
        const whole = timeOf(classifyTime(given, { from: 0, to: END }));
        for (const kind of TIME_KINDS) expect(whole.ms[kind]).toBe(parts[0]!.ms[kind] + parts[1]!.ms[kind]);
      }),
    );
  });
});
