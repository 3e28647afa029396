import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkIdOf } from '#lib/keys.ts';
import { toBase32 } from '#lib/platform/ids.ts';
import { nextRetry } from '#lib/results/slots/retries.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { intervalScheduleOfCheck } from '#test/support/health-world.ts';

const NOW = Date.UTC(2026, 10, 21);

describe('the next retry', () => {
  const check = fc
    .record({
      cell: fc.nat(),
      interval: fc.integer({ min: 2, max: 86_400 }),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    .map(({ cell, interval, part }) => ({
      id: checkIdOf(NOW, toBase32(cell, 12), 1),
      interval_seconds: interval,
      retry_interval_seconds: 1 + Math.floor(part * (interval - 2)),
    }));
  const instant = fc.integer({ min: NOW, max: NOW + 100_000_000 });

  it('is the first instant at a whole number of retry intervals after the slot, before the next slot', () => {
    fc.assert(
      fc.property(check, instant, (one, after) => {
        const schedule = intervalScheduleOfCheck(one);
        const slot = latestSlot(schedule, after);
        const next = slot + schedule.interval_ms;
        const step = one.retry_interval_seconds * 1000;
        const retry = nextRetry(one, after);
        if (!retry) {
          expect(after + step).toBeGreaterThanOrEqual(next);
          return;
        }
        expect(retry.slot).toBe(slot);
        expect(retry.at).toBeGreaterThan(Math.max(slot, after));
        expect(retry.at).toBeLessThan(next);
        expect(retry.at - after).toBeLessThanOrEqual(step);
        expect((retry.at - slot) % step).toBe(0);
        expect(retry.until).toBe(Math.min(retry.at + step, next));
      }),
    );
  });

  it('depends only on its slot and the settings', () => {
    fc.assert(
      fc.property(check, instant, (one, after) => {
        const slot = latestSlot(intervalScheduleOfCheck(one), after);
        const all: number[] = [];
        for (let at = nextRetry(one, slot)?.at; at !== undefined && all.length < 50; at = nextRetry(one, at)?.at)
          all.push(at);
        const retry = nextRetry(one, after);
        if (retry && all.length < 50) expect(all).toContain(retry.at);
        else if (!retry && all.length < 50) expect(all.every((at) => at <= after)).toBe(true);
      }),
    );
  });

  it('is undefined when retries are disabled', () => {
    expect(nextRetry({ id: checkIdOf(NOW, toBase32(1, 12), 1), interval_seconds: 60 }, NOW)).toBeUndefined();
  });
});
