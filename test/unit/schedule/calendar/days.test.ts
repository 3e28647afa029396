import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueTimes, everyWeeks } from '#lib/schedule/calendar/calendar.ts';
import { parseCron } from '#lib/schedule/calendar/cron.ts';
import { firstOf } from '#test/support/first-of.ts';

const START = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;

/** Returns the first four due days (UTC) from 2026 on, as `MM-DD`. */
const daysOf = (text: string): string[] =>
  firstOf(dueTimes([parseCron(text, 'UTC')], START - 1), 4).map((due) => new Date(due).toISOString().slice(5, 10));

describe('a cron expression', () => {
  it.each([
    ['0 2 * * sat#2', ['01-10', '02-14', '03-14', '04-11']],
    ['0 2 * * 0#1,wed#3', ['01-04', '01-21', '02-01', '02-18']],
    ['0 2 * * mon#5', ['03-30', '06-29', '08-31', '11-30']],
    ['0 2 * * friL', ['01-30', '02-27', '03-27', '04-24']],
    ['0 2 * * 5l', ['01-30', '02-27', '03-27', '04-24']],
    ['0 2 L * *', ['01-31', '02-28', '03-31', '04-30']],
    ['0 2 15,L * *', ['01-15', '01-31', '02-15', '02-28']],
    ['0 2 L 2 *', ['02-28', '02-28', '02-29', '02-28']],
  ])('%s is due on %j', (text, days) => {
    expect(daysOf(text)).toEqual(days);
  });

  it.each(['sat#0', 'sat#6', 'sat#', '#2', 'sat#1#2', 'mon-fri#2', 'mon-friL', '*#2', '*L', 'mon/2#1', 'someL', 'L'])(
    'is rejected with the day of the week %s',
    (day) => {
      expect(() => parseCron(`0 2 * * ${day}`, 'UTC')).toThrow(/day-of-week/);
    },
  );
});

describe('every n weeks', () => {
  it('counts weeks from Monday in the zone, over changes of clocks and years', () => {
    const line = everyWeeks(parseCron('30 2 * * mon,sun', 'Europe/Berlin'), 2, Date.UTC(2026, 2, 16));
    const found = firstOf(dueTimes([line], Date.UTC(2026, 2, 15, 12)), 4).map((at) => new Date(at).toISOString());
    expect(found).toEqual([
      '2026-03-16T01:30:00.000Z',
      '2026-03-22T01:30:00.000Z',
      '2026-03-30T00:30:00.000Z',
      '2026-04-05T00:30:00.000Z',
    ]);
  });

  it('is due in each n-th week after the week of the anchor', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 9 }), (day, weeks) => {
        const anchor = START + day * DAY;
        const all = parseCron('0 12 * * 3', 'UTC');
        const monday = (at: number) => Math.floor((at / DAY + 3) / 7);
        const due = firstOf(dueTimes([everyWeeks(all, weeks, anchor)], anchor - DAY), 5);
        const wanted = firstOf(dueTimes([all], anchor - DAY), 5 * weeks).filter(
          (at) => (monday(at) - monday(anchor)) % weeks === 0,
        );
        expect(due).toEqual(wanted.slice(0, 5));
      }),
      { numRuns: 60 },
    );
  });
});
