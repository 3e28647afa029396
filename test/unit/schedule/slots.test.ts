import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { executableSlots, intervalScheduleOf, isSlot, latestSlot, slotsBetween } from '#lib/schedule/slots.ts';

const NOW = Date.UTC(2026, 10, 21);
const seconds = fc.integer({ min: 1, max: 86_400 });
const id = fc.string({ minLength: 1, maxLength: 30 });
const near = fc.integer({ min: NOW - 100_000, max: NOW + 100_000 });
const short = fc.integer({ min: 1, max: 40 });

/** Reference implementation of `slotsBetween`, millisecond by millisecond. */
const naively = (phase: number, interval: number, from: number, to: number): number[] => {
  const slots: number[] = [];
  for (let at = from + 1; at <= to; at++) if ((at - phase) % interval === 0) slots.push(at);
  return slots;
};

describe('the interval schedule of a cell', () => {
  it('has its phase within the interval, on a grid of 50 ms, the same each time', () => {
    fc.assert(
      fc.property(id, seconds, (name, interval) => {
        const schedule = intervalScheduleOf(name, interval);
        expect(schedule).toEqual(intervalScheduleOf(name, interval));
        expect(schedule.interval_ms).toBe(interval * 1000);
        expect(schedule.phase).toBeGreaterThanOrEqual(0);
        expect(schedule.phase).toBeLessThan(schedule.interval_ms);
        expect(schedule.phase % 50).toBe(0);
      }),
    );
  });

  it('is stable across versions', () => {
    expect(intervalScheduleOf('chk_01kahq9h2x', 60)).toEqual({ phase: 30_050, interval_ms: 60_000 });
  });

  it('spreads 10,000 cells evenly over a minute', () => {
    const perSecond = new Array<number>(60).fill(0);
    for (let i = 0; i < 10_000; i++) {
      const second = Math.floor(intervalScheduleOf(`cell${i}`, 60).phase / 1000);
      perSecond[second] = perSecond[second]! + 1;
    }
    expect(Math.max(...perSecond)).toBeLessThan(230);
    expect(Math.min(...perSecond)).toBeGreaterThan(110);
  });
});

describe('slots', () => {
  it('match a naive search between two instants', () => {
    fc.assert(
      fc.property(short, fc.nat(39), near, fc.nat(300), (interval_ms, offset, from, span) => {
        const schedule = { phase: offset % interval_ms, interval_ms };
        const to = from + span;
        expect(slotsBetween(schedule, from, to)).toEqual(naively(schedule.phase, interval_ms, from, to));
      }),
    );
  });

  it('are additive over parts of a range: a restart neither skips nor repeats one', () => {
    fc.assert(
      fc.property(
        id,
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.nat(100_000), { maxLength: 8 }),
        (name, every, cuts) => {
          const schedule = intervalScheduleOf(name, every);
          const marks = [NOW, ...cuts.sort((a, b) => a - b).map((cut) => NOW + cut), NOW + 100_000];
          const parts = marks.slice(1).flatMap((to, i) => slotsBetween(schedule, marks[i]!, to));
          expect(parts).toEqual(slotsBetween(schedule, NOW, NOW + 100_000));
        },
      ),
    );
  });

  it('include the latest slot, which is less than one interval before any instant', () => {
    fc.assert(
      fc.property(id, seconds, near, (name, every, at) => {
        const schedule = intervalScheduleOf(name, every);
        const slot = latestSlot(schedule, at);
        expect(isSlot(schedule, slot)).toBe(true);
        expect(slot).toBeLessThanOrEqual(at);
        expect(at - slot).toBeLessThan(schedule.interval_ms);
        expect(isSlot(schedule, at)).toBe(at === slot);
      }),
    );
  });

  it('to execute are all future ones, and only the latest past one', () => {
    fc.assert(
      fc.property(
        id,
        fc.integer({ min: 1, max: 300 }),
        near,
        fc.nat(400_000),
        fc.nat(200_000),
        (name, every, now, back, ahead) => {
          const schedule = intervalScheduleOf(name, every);
          const from = now - back;
          const all = slotsBetween(schedule, from, now + ahead);
          const newest = all.filter((slot) => slot <= now).slice(-1);
          const toCome = all.filter((slot) => slot > now);
          expect(executableSlots(schedule, from, now + ahead, now)).toEqual([...newest, ...toCome]);
        },
      ),
    );
  });
});
