import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { executableSlots, intervalScheduleOf, isSlot, latestSlot, slotsBetween } from '#lib/schedule/slots.ts';

const NOW = Date.UTC(2026, 10, 21);
const seconds = fc.integer({ min: 1, max: 86_400 });
const id = fc.string({ minLength: 1, maxLength: 30 });
const near = fc.integer({ min: NOW - 100_000, max: NOW + 100_000 });
const short = fc.integer({ min: 1, max: 40 });

/** Reference implementation, millisecond by millisecond. */
const naively = (phase: number, interval: number, from: number, to: number): number[] => {
  const slots: number[] = [];
  for (let at = from + 1; at <= to; at++) if ((at - phase) % interval === 0) slots.push(at);
  return slots;
};

describe('the interval schedule of a cell', () => {
  it('has its phase within the interval, on a grid of 50 ms, the same each time', () => {
    fc.assert(
      fc.property(id, seconds, (name, interval) => {
        const rhythm = intervalScheduleOf(name, interval);
        expect(rhythm).toEqual(intervalScheduleOf(name, interval));
        expect(rhythm.interval_ms).toBe(interval * 1000);
        expect(rhythm.phase).toBeGreaterThanOrEqual(0);
        expect(rhythm.phase).toBeLessThan(rhythm.interval_ms);
        expect(rhythm.phase % 50).toBe(0);
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
        const rhythm = { phase: offset % interval_ms, interval_ms };
        const to = from + span;
        expect(slotsBetween(rhythm, from, to)).toEqual(naively(rhythm.phase, interval_ms, from, to));
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
          const rhythm = intervalScheduleOf(name, every);
          const marks = [NOW, ...cuts.sort((a, b) => a - b).map((cut) => NOW + cut), NOW + 100_000];
          const parts = marks.slice(1).flatMap((to, i) => slotsBetween(rhythm, marks[i]!, to));
          expect(parts).toEqual(slotsBetween(rhythm, NOW, NOW + 100_000));
        },
      ),
    );
  });

  it('are each their own latest slot', () => {
    fc.assert(
      fc.property(id, seconds, near, (name, every, at) => {
        const rhythm = intervalScheduleOf(name, every);
        const slot = latestSlot(rhythm, at);
        expect(isSlot(rhythm, slot)).toBe(true);
        expect(slot).toBeLessThanOrEqual(at);
        expect(at - slot).toBeLessThan(rhythm.interval_ms);
        expect(isSlot(rhythm, at)).toBe(at === slot);
      }),
    );
  });

  it('include for execution all future ones, and only the latest past one', () => {
    fc.assert(
      fc.property(
        id,
        fc.integer({ min: 1, max: 300 }),
        near,
        fc.nat(400_000),
        fc.nat(200_000),
        (name, every, now, back, ahead) => {
          const rhythm = intervalScheduleOf(name, every);
          const from = now - back;
          const all = slotsBetween(rhythm, from, now + ahead);
          const newest = all.filter((slot) => slot <= now).slice(-1);
          const toCome = all.filter((slot) => slot > now);
          expect(executableSlots(rhythm, from, now + ahead, now)).toEqual([...newest, ...toCome]);
        },
      ),
    );
  });
});
