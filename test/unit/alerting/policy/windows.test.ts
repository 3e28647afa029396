import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openWindow, windowForDependents } from '#lib/alerting/policy/windows.ts';
import type { WindowItem } from '#lib/checks/maintenance.ts';
import { rangesAt, rangesOf, type WindowTimes } from '#lib/schedule/calendar/window-ranges.ts';
import { firstOf } from '#test/support/first-of.ts';

const HOUR = 3_600_000;
const check = { id: 'chk_a' };
const entity = { id: 'ent_a', blueprint_slug: 'service', labels: { team: 'pay' } };

const windowOf = (times: WindowTimes, more: Partial<WindowItem> = {}): WindowItem => ({
  ...{ pk: '', sk: '', v: '', id: 'win_a', name: '', note: '', scope: null, times },
  ...{ created_at: '', updated_at: '', created_by: '' },
  ...more,
});
const once = (from: number, to: number): WindowTimes => ({ starts_at: from, ends_at: to });
const saturdays = { cron: '30 2 * * sat', time_zone: 'Europe/Berlin', duration_ms: 2 * HOUR, every_weeks: 1 };

const ranges = (times: WindowTimes, after: string, count: number) =>
  firstOf(rangesOf(times, Date.parse(after)), count).map(({ from, to }) => [
    new Date(from).toISOString(),
    new Date(to).toISOString(),
  ]);

describe('a recurring window', () => {
  // Clocks are set forward on Sunday 2026-03-29 at 02:00, and back on Sunday 2026-10-25 at 03:00.
  const sundays = { ...saturdays, cron: '30 2 * * sun', from: Date.UTC(2026, 0, 1) };

  it('follows the wall clock: each Saturday 02:30 in Berlin, winter and summer', () => {
    const times = { ...saturdays, from: Date.UTC(2026, 0, 1) };
    expect(ranges(times, '2026-03-27T00:00:00Z', 2)).toEqual([
      ['2026-03-28T01:30:00.000Z', '2026-03-28T03:30:00.000Z'],
      ['2026-04-04T00:30:00.000Z', '2026-04-04T02:30:00.000Z'],
    ]);
    expect(ranges(times, '2026-10-23T00:00:00Z', 2)).toEqual([
      ['2026-10-24T00:30:00.000Z', '2026-10-24T02:30:00.000Z'],
      ['2026-10-31T01:30:00.000Z', '2026-10-31T03:30:00.000Z'],
    ]);
  });

  it('starts after a skipped local time, and at the first of a repeated one', () => {
    expect(ranges(sundays, '2026-03-28T12:00:00Z', 1)).toEqual([
      ['2026-03-29T01:00:00.000Z', '2026-03-29T03:00:00.000Z'],
    ]);
    expect(ranges(sundays, '2026-10-24T12:00:00Z', 2)).toEqual([
      ['2026-10-25T00:30:00.000Z', '2026-10-25T02:30:00.000Z'],
      ['2026-11-01T01:30:00.000Z', '2026-11-01T03:30:00.000Z'],
    ]);
  });

  it('lasts its duration in elapsed time when clocks change within it', () => {
    const long = { ...sundays, cron: '30 0 * * sun', duration_ms: 4 * HOUR };
    expect(ranges(long, '2026-03-28T12:00:00Z', 1)).toEqual([['2026-03-28T23:30:00.000Z', '2026-03-29T03:30:00.000Z']]);
  });

  it('does not start before `from`, or at or after `until`', () => {
    const from = Date.parse('2026-01-10T01:30:00Z');
    const times = { ...saturdays, from, until: Date.parse('2026-01-24T01:30:00Z') };
    expect(ranges(times, '2025-01-01T00:00:00Z', 9).map(([begin]) => begin)).toEqual([
      '2026-01-10T01:30:00.000Z',
      '2026-01-17T01:30:00.000Z',
    ]);
    expect(rangesAt(times, Date.parse('2026-02-01T00:00:00Z'))).toEqual({});
  });

  it('counts weeks from its first start', () => {
    const times = { ...saturdays, every_weeks: 2, from: Date.parse('2026-01-11T00:00:00Z') };
    expect(ranges(times, '2026-01-01T00:00:00Z', 3).map(([begin]) => begin)).toEqual([
      '2026-01-17T01:30:00.000Z',
      '2026-01-31T01:30:00.000Z',
      '2026-02-14T01:30:00.000Z',
    ]);
  });

  it('returns the open range that ends last, and the next one', () => {
    const daily = { ...saturdays, cron: '0 0 * * *', time_zone: 'UTC', duration_ms: 36 * HOUR, from: 0 };
    const at = Date.parse('2026-01-02T06:00:00Z');
    expect(rangesAt(daily, at)).toEqual({
      current: { from: Date.parse('2026-01-02T00:00:00Z'), to: Date.parse('2026-01-03T12:00:00Z') },
      next: { from: Date.parse('2026-01-03T00:00:00Z'), to: Date.parse('2026-01-04T12:00:00Z') },
    });
  });
});

describe('openWindow', () => {
  it('is half open, and limited to the checks in scope', () => {
    const own = windowOf(once(1000, 2000), { scope: { entity_ids: ['ent_a'] } });
    const other = windowOf(once(1000, 9000), { scope: { blueprints: ['other'] } });
    expect(openWindow([own, other], { check, entity }, 999)).toBeUndefined();
    expect(openWindow([own, other], { check, entity }, 1000)).toEqual({ id: 'win_a', until: 2000 });
    expect(openWindow([own, other], { check, entity }, 2000)).toBeUndefined();
  });

  it('joins overlapping and consecutive windows in any order', () => {
    const span = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 8 }));
    fc.assert(
      fc.property(fc.array(span, { maxLength: 8 }), fc.integer({ min: 0, max: 45 }), (spans, at) => {
        const windows = spans.map(([from, length]) => windowOf(once(from, from + length)));
        const isOpen = (minute: number) => spans.some(([from, length]) => from <= minute && minute < from + length);
        let until = at;
        while (isOpen(until)) until++;
        expect(openWindow(windows, { check, entity }, at)?.until).toBe(isOpen(at) ? until : undefined);
      }),
    );
  });

  it('returns an end for a window that recurs every minute', () => {
    const always = windowOf({ ...saturdays, cron: '* * * * *', duration_ms: 60_000, from: 0 });
    const at = Date.UTC(2026, 0, 1);
    expect(openWindow([always], { check, entity }, at)?.until).toBeGreaterThan(at + HOUR / 10);
  });
});

describe('windowForDependents', () => {
  const checks = [
    { id: 'chk_a', enabled: true },
    { id: 'chk_b', enabled: true },
    { id: 'chk_off', enabled: false },
  ];
  const including = (from: number, to: number, more: Partial<WindowItem> = {}) =>
    windowOf(once(from, to), { include_dependents: true, ...more });

  it('requires include_dependents and all enabled checks in scope', () => {
    const found = (...windows: WindowItem[]) => windowForDependents(windows, entity, checks, 1500);
    expect(found(including(1000, 2000))).toEqual({ id: 'win_a', until: 2000, include_dependents: true });
    expect(found(windowOf(once(1000, 2000)))).toBeUndefined();
    expect(found(including(1000, 2000, { scope: { check_ids: ['chk_a'] } }))).toBeUndefined();
    expect(found(including(1000, 2000, { scope: { check_ids: ['chk_a', 'chk_b'] } }))?.until).toBe(2000);
    expect(windowForDependents([including(1000, 2000)], entity, [], 1500)).toBeUndefined();
  });

  it('ends when the first check leaves the window', () => {
    const spans = fc.array(
      fc.record({
        from: fc.nat(20),
        length: fc.integer({ min: 1, max: 20 }),
        of: fc.subarray(['chk_a', 'chk_b'], { minLength: 1 }),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(spans, fc.nat(40), (all, at) => {
        const windows = all.map(({ from, length, of }) => including(from, from + length, { scope: { check_ids: of } }));
        const ends = ['chk_a', 'chk_b'].map((id) => openWindow(windows, { check: { id }, entity }, at)?.until);
        const expected = ends.includes(undefined) ? undefined : Math.min(...(ends as number[]));
        expect(windowForDependents(windows, entity, checks, at)?.until).toBe(expected);
      }),
    );
  });
});
