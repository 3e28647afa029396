import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Remediation } from '#lib/actions/action-item.ts';
import { maxVerificationMs, nextRecheckAt, rangeOf, verdictOf } from '#lib/actions/remediation/verdict.ts';
import { iso } from '#lib/platform/time.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const check = { interval_seconds: 30, timeout_ms: 5000 };
const settings = Remediation.parse({ settle_seconds: 10, verify_within_seconds: 300 });
const run = { dispatch_status: 'success', finished_at: iso(NOON), pipeline_status: null } as const;
const span = { from: NOON + 10_000, until: NOON + 75_000, isRunning: false };

describe('the range of results after an attempt', () => {
  it('is pending while the request is in progress', () => {
    expect(rangeOf({ ...run, dispatch_status: 'pending', finished_at: null }, settings, check)).toBe('pending');
  });

  it('starts after the settling time, and lasts two intervals and a timeout', () => {
    expect(rangeOf(run, settings, check)).toEqual(span);
  });

  it('is not_recovered when the request or its pipeline failed', () => {
    for (const one of [
      { dispatch_status: 'failed' },
      { dispatch_status: 'blocked' },
      { pipeline_status: 'failed' },
    ] as const)
      expect(rangeOf({ ...run, ...one }, settings, check)).toBe('not_recovered');
  });

  it('is longer while a pipeline runs, and restarts when it has succeeded', () => {
    const running = rangeOf({ ...run, pipeline_status: 'running' }, settings, check);
    expect(running).toEqual({ from: NOON + 10_000, until: NOON + 300_000, isRunning: true });
    const done = rangeOf({ ...run, pipeline_status: 'succeeded', reported_at: NOON + 100_000 }, settings, check);
    expect(done).toEqual({ from: NOON + 110_000, until: NOON + 175_000, isRunning: false });
  });
});

describe('the verdict', () => {
  const [healthy, unhealthy] = [
    { id: 'res_1', is_healthy: true },
    { id: 'res_2', is_healthy: false },
  ];

  it('depends only on the first result', () => {
    expect(verdictOf(span, [healthy, unhealthy], true, span.from + 1)).toEqual({ verdict: 'recovered', by: 'res_1' });
    expect(verdictOf(span, [unhealthy, healthy], true, span.from + 1)).toEqual({
      verdict: 'not_recovered',
      by: 'res_2',
    });
  });

  it('needs a success while a pipeline runs, and is not_recovered if none arrives in time', () => {
    const running = { ...span, isRunning: true };
    expect(verdictOf(running, [unhealthy], true, span.until)).toBeUndefined();
    expect(verdictOf(running, [unhealthy, healthy], true, span.until)).toEqual({ verdict: 'recovered', by: 'res_1' });
    expect(verdictOf(running, [unhealthy], true, span.until + 60_000)).toEqual({
      verdict: 'not_recovered',
      by: 'res_2',
    });
  });

  it('is not_recovered without results, or unverified if the check was not monitored', () => {
    expect(verdictOf(span, [], true, span.until)).toBeUndefined();
    expect(verdictOf(span, [], true, span.until + 60_000)).toEqual({ verdict: 'not_recovered', by: null });
    expect(verdictOf(span, [], false, span.until + 60_000)).toEqual({ verdict: 'unverified', by: null });
  });

  it('is reached before the lock expires, by rechecks that are each later than the last', () => {
    const times = fc.record({
      interval_seconds: fc.integer({ min: 1, max: 86_400 }),
      timeout_ms: fc.integer({ min: 100, max: 30_000 }),
      settle_seconds: fc.integer({ min: 0, max: 3600 }),
      verify_within_seconds: fc.integer({ min: 10, max: 86_400 }),
      pipeline_status: fc.constantFrom(null, 'running' as const),
    });
    fc.assert(
      fc.property(times, ({ interval_seconds, timeout_ms, pipeline_status, ...more }) => {
        const own = { interval_seconds, timeout_ms };
        const given = Remediation.parse(more);
        const range = rangeOf({ ...run, pipeline_status }, given, own);
        if (typeof range === 'string') throw new Error('no range of results');
        let [now, rechecks] = [NOON, 0];
        for (; verdictOf(range, [], true, now) === undefined; rechecks++) {
          const next = nextRecheckAt(range, undefined, now);
          expect(next).toBeGreaterThan(now);
          now = next;
        }
        expect(now).toBeLessThanOrEqual(NOON + maxVerificationMs(given, own));
        expect(rechecks).toBeLessThan(700);
      }),
    );
  });
});
