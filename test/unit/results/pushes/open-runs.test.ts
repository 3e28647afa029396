import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OpenRun } from '#lib/checks/check-item.ts';
import { withEnd, withStart } from '#lib/results/pushes/open-runs.ts';

const NOW = Date.UTC(2026, 10, 22, 2, 30);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const run = (started_at: number, rid?: string, overrun?: true): OpenRun => ({
  ...(rid && { rid }),
  started_at,
  received_at: started_at,
  ...(overrun && { overrun }),
});

describe('a start', () => {
  it('opens a run in addition to open ones', () => {
    expect(withStart([run(NOW - 2 * HOUR, 'a')], 'b', NOW, DAY)).toEqual([run(NOW - 2 * HOUR, 'a'), run(NOW, 'b')]);
    expect(withStart([run(NOW - 2 * HOUR)], undefined, NOW, DAY)).toEqual([run(NOW - 2 * HOUR), run(NOW)]);
  });

  it('changes nothing when sent twice, because its run is open', () => {
    expect(withStart([run(NOW - 2 * HOUR, 'a')], 'a', NOW, DAY)).toBeUndefined();
  });

  it('restarts a run that took too long', () => {
    expect(withStart([run(NOW - 2 * HOUR, 'a', true)], 'a', NOW, DAY)).toEqual([run(NOW, 'a')]);
  });

  it('is rejected when ten are open; one that took too long makes room', () => {
    const ten = Array.from({ length: 10 }, (_, i) => run(NOW - HOUR + i, `r${i}`));
    expect(withStart(ten, 'x', NOW, DAY)).toBeUndefined();
    const late = [run(NOW - 2 * HOUR, 'late', true), ...ten.slice(1)];
    expect(withStart(late, 'x', NOW, DAY)).toEqual([...ten.slice(1), run(NOW, 'x')]);
  });

  it('is accepted when the ends of ten open runs were lost in an outage', () => {
    const ten = Array.from({ length: 10 }, (_, i) => run(NOW - 26 * HOUR + i, `r${i}`));
    expect(withStart(ten, 'x', NOW, DAY)).toEqual([...ten.slice(1), run(NOW, 'x')]);
    expect(withStart(ten, 'r3', NOW, DAY)?.at(-1)).toEqual(run(NOW, 'r3'));
    expect(withStart(ten, 'x', NOW - 2 * HOUR, DAY)).toBeUndefined();
  });
});

describe('an end', () => {
  const two = [run(NOW - HOUR, 'a'), run(NOW - 60_000, 'b')];

  it('ends the run of its id, measured from its start', () => {
    expect(withEnd(two, { rid: 'a', success: true }, NOW)).toEqual({ runs: [two[1]], latency_ms: HOUR });
  });

  it('ends all runs if it has no id, and measures the run if only one was open', () => {
    expect(withEnd(two, { success: true }, NOW)).toEqual({ runs: [], latency_ms: 0 });
    expect(withEnd([two[1]!], { success: true }, NOW)).toEqual({ runs: [], latency_ms: 60_000 });
    expect(withEnd([], { success: true }, NOW)).toEqual({ runs: [], latency_ms: 0 });
  });

  it('ends no run if it is a success with an unknown id, and all runs if it is a failure with one', () => {
    expect(withEnd(two, { rid: 'x', success: true }, NOW)).toEqual({ runs: two, latency_ms: 0 });
    expect(withEnd(two, { rid: 'x', success: false }, NOW)).toEqual({ runs: [], latency_ms: 0 });
  });

  it('measures a run that took too long, if no other run is open', () => {
    const late = run(NOW - 2 * HOUR, undefined, true);
    expect(withEnd([late], { success: true }, NOW)).toEqual({ runs: [], latency_ms: 2 * HOUR });
    expect(withEnd([late, two[1]!], { success: true }, NOW)).toEqual({ runs: [], latency_ms: 60_000 });
  });

  it('does not measure a run over 72 hours, or one that starts in the future because the clock was set back', () => {
    expect(withEnd([run(NOW - 73 * HOUR)], { success: true }, NOW).latency_ms).toBe(0);
    expect(withEnd([run(NOW + 1000)], { success: true }, NOW).latency_ms).toBe(0);
  });
});

/** Report of a job: a start or an end, with or without a run id. */
const report = fc.record({
  what: fc.constantFrom('start', 'success', 'failure'),
  rid: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
  after: fc.nat(4 * HOUR),
});

it('keeps at most ten runs, each id once, and no ended one, for any reports', () => {
  fc.assert(
    fc.property(fc.array(report, { maxLength: 60 }), (reports) => {
      let runs: readonly OpenRun[] = [];
      let now = NOW;
      for (const { what, rid, after } of reports) {
        now += after;
        if (what === 'start') runs = withStart(runs, rid, now, DAY) ?? runs;
        else {
          const ended = withEnd(runs, { rid, success: what === 'success' }, now);
          expect(ended.latency_ms).toBeGreaterThanOrEqual(0);
          expect(runs).toEqual(expect.arrayContaining([...ended.runs]));
          ({ runs } = ended);
          if (rid === undefined || what === 'failure')
            expect(runs.every((open) => rid !== undefined && open.rid !== rid)).toBe(true);
          expect(runs.some((open) => rid !== undefined && open.rid === rid)).toBe(false);
        }
        const ids = runs.flatMap((open) => open.rid ?? []);
        expect(new Set(ids).size).toBe(ids.length);
        expect(runs.length).toBeLessThanOrEqual(10);
      }
    }),
  );
});
