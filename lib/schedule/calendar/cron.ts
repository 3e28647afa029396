import { CalendarError } from './calendar-error.ts';
import { daysOfMonth, daysOfWeek } from './days.ts';
import { type Field, numbersOf } from './fields.ts';
import type { Line } from './line.ts';

const MINUTE: Field = { name: 'minute', from: 0, to: 59 };
const HOUR: Field = { name: 'hour', from: 0, to: 23 };
const MONTH: Field = {
  name: 'month',
  from: 1,
  to: 12,
  names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
};
const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

/**
 * Five fields as crontab(5) has them, with `L` and `#` beside it (days.ts), or a nickname such as @daily, by the rules
 * of cron(8) on Debian: the day must fit both day fields when one of them begins with `*`, else one is enough. A job of
 * fixed hours and minutes that clocks skip is due when they are set, and one that they repeat is due once; all others
 * go by real time.
 * @throws CalendarError
 */
export function parseCron(text: string, zone: string): Line {
  const fields = (NICKNAMES[text.toLowerCase()] ?? text).split(/\s+/);
  if (fields[0]!.startsWith('@')) throw unknownNickname(text);
  if (fields.length !== 5) {
    throw new CalendarError(
      `has ${fields.length} fields; cron has five: minute, hour, day-of-month, month, day-of-week`,
    );
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields as [string, string, string, string, string];
  const of = (field: Field, text: string) => numbersOf(field, text, { range: '-' });
  const isDayOfMonth = daysOfMonth(dayOfMonth);
  const isDayOfWeek = daysOfWeek(dayOfWeek);
  const both = dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*');
  const goesByRealTime = minute.startsWith('*') || hour.startsWith('*');
  return {
    zone,
    months: of(MONTH, month),
    isDay: (date) => {
      const [fits, fitsWeek] = [isDayOfMonth(date), isDayOfWeek(date)];
      return both ? fits && fitsWeek : fits || fitsWeek;
    },
    hours: of(HOUR, hour),
    minutes: of(MINUTE, minute),
    seconds: [0],
    skipped: goesByRealTime ? 'not due' : 'due at the change',
    repeated: goesByRealTime ? 'due at both' : 'due at the first',
  };
}

function unknownNickname(text: string): CalendarError {
  if (text.toLowerCase() === '@reboot') return new CalendarError('@reboot is no time: nobody knows when it comes');
  return new CalendarError(`"${text}" is not known; write one of ${Object.keys(NICKNAMES).join(', ')}`);
}
