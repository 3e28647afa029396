import { describe, expect, it } from 'vitest';
import { assertDueTimes, dueTimes, nextDue, parseCalendar, wallClock } from '#lib/schedule/calendar/calendar.ts';

const at = (text: string) => Date.parse(text);
const FRIDAY = at('2026-11-20T12:00:00Z');

/** Returns the first due times after an instant, in UTC. */
function first(schedule: string, zone: string, after: number, count = 1): string[] {
  const times: string[] = [];
  for (const due of dueTimes(parseCalendar(schedule, zone), after)) {
    times.push(new Date(due).toISOString().replace('.000Z', 'Z'));
    if (times.length === count) break;
  }
  return times;
}

describe('a line of cron', () => {
  it.each([
    ['30 2 * * *', '2026-11-21T02:30:00Z'],
    ['*/15 * * * *', '2026-11-20T12:15:00Z'],
    ['5/20 12 * * *', '2026-11-20T12:05:00Z'],
    ['0 9-17 * * mon-fri', '2026-11-20T13:00:00Z'],
    ['0 9 * * 1-5', '2026-11-23T09:00:00Z'],
    ['0 0 * * 7', '2026-11-22T00:00:00Z'],
    ['0 0 * * SUN', '2026-11-22T00:00:00Z'],
    ['0 0 1 jan,jul *', '2027-01-01T00:00:00Z'],
    ['0 0 29 2 *', '2028-02-29T00:00:00Z'],
    ['  0   0  *  * * ', '2026-11-21T00:00:00Z'],
    ['@hourly', '2026-11-20T13:00:00Z'],
    ['@daily', '2026-11-21T00:00:00Z'],
    ['@weekly', '2026-11-22T00:00:00Z'],
    ['@monthly', '2026-12-01T00:00:00Z'],
    ['@Yearly', '2027-01-01T00:00:00Z'],
  ])('%s is due at %s', (schedule, due) => {
    expect(first(schedule, 'UTC', FRIDAY)).toEqual([due]);
  });

  it('is due if the day of the month or of the week matches; if one field starts with *, both must match', () => {
    expect(first('0 0 13 * fri', 'UTC', FRIDAY, 2)).toEqual(['2026-11-27T00:00:00Z', '2026-12-04T00:00:00Z']);
    expect(first('0 0 13 * */5', 'UTC', FRIDAY, 2)).toEqual(['2026-12-13T00:00:00Z', '2027-06-13T00:00:00Z']);
  });
});

describe('a line of OnCalendar', () => {
  it.each([
    ['02:30', '2026-11-21T02:30:00Z'],
    ['Mon..Fri 09:00', '2026-11-23T09:00:00Z'],
    ['Sat,Sun *-*-* 10:00:30', '2026-11-21T10:00:30Z'],
    ['Mon, 12:34', '2026-11-23T12:34:00Z'],
    ['Thursday', '2026-11-26T00:00:00Z'],
    ['*-12-24', '2026-12-24T00:00:00Z'],
    ['12-24 18:00', '2026-12-24T18:00:00Z'],
    ['*-*~1', '2026-11-30T00:00:00Z'],
    ['*-02~03', '2027-02-26T00:00:00Z'],
    ['Mon *-05~07/1', '2027-05-31T00:00:00Z'],
    ['*:0/20', '2026-11-20T12:20:00Z'],
    ['2027/3-01-01', '2027-01-01T00:00:00Z'],
    ['Daily', '2026-11-21T00:00:00Z'],
    ['quarterly', '2027-01-01T00:00:00Z'],
    ['02:30 Europe/Berlin', '2026-11-21T01:30:00Z'],
    ['weekly America/New_York', '2026-11-23T05:00:00Z'],
  ])('%s is due at %s', (schedule, due) => {
    expect(first(schedule, 'UTC', FRIDAY)).toEqual([due]);
  });

  it('uses its own zone, else that of the schedule', () => {
    expect(first('09:00\n09:00 Asia/Tokyo\n\t09:00 America/New_York ', 'Europe/Berlin', FRIDAY, 4)).toEqual([
      '2026-11-20T14:00:00Z',
      '2026-11-21T00:00:00Z',
      '2026-11-21T08:00:00Z',
      '2026-11-21T14:00:00Z',
    ]);
  });
});

describe('when clocks change', () => {
  it.each([
    // Set forward on 2026-03-29: 02:00 becomes 03:00, at 01:00 in UTC.
    ['30 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z']],
    ['0,20,40 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T01:00:00Z', '2026-03-30T00:00:00Z']],
    ['*/30 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-30T00:00:00Z', '2026-03-30T00:30:00Z']],
    ['30 * * * *', '2026-03-29T00:00:00Z', ['2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z']],
    ['02:30', '2026-03-28T12:00:00Z', ['2026-03-30T00:30:00Z', '2026-03-31T00:30:00Z']],
    // Set back on 2026-10-25: 03:00 becomes 02:00, at 01:00 in UTC.
    ['30 2 * * *', '2026-10-24T12:00:00Z', ['2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z']],
    ['30 2 * * *', '2026-10-25T01:15:00Z', ['2026-10-26T01:30:00Z']],
    ['*/30 2 * * *', '2026-10-25T00:00:00Z', ['2026-10-25T00:30:00Z', '2026-10-25T01:00:00Z', '2026-10-25T01:30:00Z']],
    ['02:30', '2026-10-24T12:00:00Z', ['2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z']],
  ])('in Berlin, %s after %s is due at %j', (schedule, after, due) => {
    expect(first(schedule, 'Europe/Berlin', at(after), due.length)).toEqual(due);
  });

  it('handles a change of half an hour', () => {
    // Lord Howe: 02:00 becomes 01:30 on 2026-04-05, at 15:00 in UTC of the day before, and 02:30 on 2026-10-04.
    const zone = 'Australia/Lord_Howe';
    expect(first('45 1 * * *', zone, at('2026-04-04T14:00:00Z'), 2)).toEqual([
      '2026-04-04T14:45:00Z',
      '2026-04-05T15:15:00Z',
    ]);
    expect(first('*/15 1 * * *', zone, at('2026-04-04T14:30:00Z'), 3)).toEqual([
      '2026-04-04T14:45:00Z',
      '2026-04-04T15:00:00Z',
      '2026-04-04T15:15:00Z',
    ]);
    expect(first('15 2 * * *', zone, at('2026-10-03T12:00:00Z'))).toEqual(['2026-10-03T15:30:00Z']);
    expect(first('0 * * * *', zone, at('2026-10-03T14:50:00Z'))).toEqual(['2026-10-03T16:00:00Z']);
  });
});

describe('an invalid schedule', () => {
  it.each([
    ['61 2 * * *', 'minute 61 is over 59'],
    ['0 24 * * *', 'hour 24 is over 23'],
    ['0 0 0 * *', 'day-of-month 0 is under 1'],
    ['0 0 * foo *', 'month "foo" is not known; write jan to dec or 1 to 12'],
    ['0 0 * * monday', 'day-of-week "monday" is not known; write sun to sat or 0 to 7'],
    ['0 0 * * fri-mon', 'day-of-week fri-mon runs backwards'],
    ['*/0 * * * *', 'minute */0 has an invalid step'],
    ['1-5-9 * * * *', 'minute 1-5-9 has more than two ends'],
    ['*/5/5 * * * *', 'minute */5/5 has more than one step'],
    [', * * * *', 'minute "" is not known; write 0 to 59'],
    ['-1 * * * *', 'minute "" is not known; write 0 to 59'],
    ['* * * *', 'has 4 fields; cron has five: minute, hour, day-of-month, month, day-of-week'],
    ['0 30 2 * * *', 'has 6 fields; cron has five: minute, hour, day-of-month, month, day-of-week'],
    ['30 2', 'has 2 fields; cron has five: minute, hour, day-of-month, month, day-of-week'],
    ['@reboot', '@reboot is not a time, so its runs cannot be predicted'],
    ['@often', '"@often" is not known; write one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually'],
    ['', 'is empty'],
    [' \n ', 'is empty'],
    ['Mon..Foo 02:00', '"Foo" is not a day of the week; write Mon to Sun'],
    ['Fri..Mon 02:00', 'days of the week Fri..Mon run backwards'],
    ['sometimes', '"sometimes" is not a day of the week; write Mon to Sun'],
    ['25:00', 'hour 25 is over 23'],
    ['02:00:60', 'second 60 is over 59'],
    ['02:00:00.5', 'second "00.5" is not known; write 0 to 59'],
    ['1:2:3:4', 'time "1:2:3:4" has more than hours:minutes:seconds'],
    ['*-*-32', 'day 32 is over 31'],
    ['*-*~29', 'day 29 is over 28'],
    ['1-2-3-4 02:00', 'date "1-2-3-4" is not year-month-day'],
    ['Mon Tue 02:00 UTC', '"Mon Tue 02:00 UTC" is not valid; write it like Mon..Fri *-*-* 02:30:00 Europe/Berlin'],
    ['02:00 Berlin', '"Berlin" is not an IANA time zone; did you mean Europe/Berlin?'],
    ['02:00\n\n03:00', 'line 2 is empty'],
    ['02:00\n30 2 * * *', 'line 2 is a cron expression, which must be the only line'],
    ['1:00\n2:00\n3:00\n4:00\n5:00\n6:00', 'has 6 lines, more than 5'],
  ])('%j: %s', (schedule, message) => {
    expect(() => parseCalendar(schedule, 'UTC')).toThrow(message);
  });

  it.each([
    ['CEST', '"CEST" is not an IANA time zone; write one such as Europe/Berlin or UTC'],
    ['Berlin', '"Berlin" is not an IANA time zone; did you mean Europe/Berlin?'],
    ['new york', '"new york" is not an IANA time zone; did you mean America/New_York?'],
    ['Europe/Berln', '"Europe/Berln" is not an IANA time zone; did you mean Europe/Berlin?'],
    ['+02:00', '"+02:00" is not an IANA time zone; write one such as Europe/Berlin or UTC'],
    ['', '"" is not an IANA time zone; write one such as Europe/Berlin or UTC'],
  ])('rejects the zone %j', (zone, message) => {
    expect(() => parseCalendar('02:00', zone)).toThrow(message);
  });
});

describe('assertDueTimes', () => {
  it.each([
    ['30 2 30 2 *', 'has no due time within five years'],
    ['2020-01-01 02:00', 'has no due time within five years'],
    ['*-*-* *:*:*', 'is due more than once a minute'],
    ['*:*:0/30', 'is due more than once a minute'],
    ['Mon 02:00\nMon 02:00:20', 'is due more than once a minute'],
  ])('rejects %j: %s', (schedule, message) => {
    expect(() => assertDueTimes(parseCalendar(schedule, 'UTC'), FRIDAY)).toThrow(message);
  });

  it.each([
    'Mon *-*-31\nMon *-*-31\nMon *-*-31\nMon *-*-31\nMon *-*-31',
    '*-*-* *:*:00\nMon 2029..2199-*-31\nMon 2029..2199-*-31\nMon 2029..2199-*-31\nMon 2029..2199-*-31',
  ])('examines few days of rare lines: %j', (schedule) => {
    let days = 0;
    const counted = parseCalendar(schedule, 'UTC').map((line) => ({
      ...line,
      isDay: (date: Date) => {
        days++;
        return line.isDay(date);
      },
    }));
    assertDueTimes(counted, FRIDAY);
    expect(days).toBeLessThan(20_000);
  });

  it('accepts a schedule that is due once a minute, or only once', () => {
    assertDueTimes(parseCalendar('* * * * *', 'Europe/Berlin'), FRIDAY);
    assertDueTimes(parseCalendar('2027-01-01', 'UTC'), FRIDAY);
    expect(nextDue(parseCalendar('2027-01-01', 'UTC'), at('2027-01-01T00:00:00Z'))).toBeUndefined();
  });
});

it('formats the wall time of a zone', () => {
  expect(wallClock('Europe/Berlin', at('2026-11-22T01:30:04Z'))).toBe('2026-11-22 02:30:04');
  expect(wallClock('America/New_York', at('2026-07-01T00:00:00Z'))).toBe('2026-06-30 20:00:00');
  expect(wallClock('UTC', at('1969-12-31T23:59:59.5Z'))).toBe('1969-12-31 23:59:59');
});
