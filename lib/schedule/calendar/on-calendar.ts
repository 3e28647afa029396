import { type Field, numbersOf } from './cron.ts';
import { CalendarError, type ScheduleLine } from './schedule-line.ts';
import { isZone, notAZone } from './zones.ts';

const YEAR: Field = { name: 'year', from: 1970, to: 2199 };
const MONTH: Field = { name: 'month', from: 1, to: 12 };
const DAY: Field = { name: 'day', from: 1, to: 31 };
/** Day counted from the end of the month; at most 28, so that every month has it. */
const DAY_FROM_END: Field = { name: 'day', from: 1, to: 28 };
const HOUR: Field = { name: 'hour', from: 0, to: 23 };
const MINUTE: Field = { name: 'minute', from: 0, to: 59 };
const SECOND: Field = { name: 'second', from: 0, to: 59 };
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const SHORTHANDS: Readonly<Record<string, string>> = {
  minutely: '*-*-* *:*:00',
  hourly: '*-*-* *:00:00',
  daily: '*-*-* 00:00:00',
  weekly: 'Mon *-*-* 00:00:00',
  monthly: '*-*-01 00:00:00',
  quarterly: '*-01,04,07,10-01 00:00:00',
  semiannually: '*-01,07-01 00:00:00',
  yearly: '*-01-01 00:00:00',
  annually: '*-01-01 00:00:00',
};

const of = (field: Field, text: string): number[] => numbersOf(field, text, { range: '..' });

/**
 * Parses systemd.time(7) with at least one of weekdays, date and time: `Mon..Fri *-*-* 02:30:00 Europe/Berlin`. Skipped
 * times are not due; repeated ones are due once. `zone`: default zone. @throws CalendarError
 */
export function parseOnCalendar(text: string, zone: string): ScheduleLine {
  const words = text.split(/\s+/);
  const named = words.length > 1 && /^[a-z]/i.test(words.at(-1)!) ? words.pop()! : undefined;
  if (named !== undefined && !isZone(named)) throw notAZone(named);
  const parts = words.length === 1 ? (SHORTHANDS[words[0]!.toLowerCase()]?.split(' ') ?? words) : words;
  const time = parts.at(-1)!.includes(':') ? parts.pop()! : '00:00:00';
  const date = /^[\d*].*[-~]/.test(parts.at(-1) ?? '') ? parts.pop()! : '*-*-*';
  const [weekdays, ...more] = parts;
  if (more.length > 0) {
    throw new CalendarError(`"${text}" is not valid; write it like Mon..Fri *-*-* 02:30:00 Europe/Berlin`);
  }
  const isWeekday = weekdays === undefined ? () => true : weekdaysOf(weekdays);
  const { isDayOfMonth, ...ofYear } = dateOf(date);
  return {
    zone: named ?? zone,
    ...ofYear,
    isDay: (day) => isWeekday(day.getUTCDay()) && isDayOfMonth(day),
    ...timeOf(time),
    skipped: 'not due',
    repeated: 'due at the first',
  };
}

function timeOf(text: string): Pick<ScheduleLine, 'hours' | 'minutes' | 'seconds'> {
  const [hour = '', minute = '', second = '0', ...more] = text.split(':');
  if (more.length > 0) throw new CalendarError(`time "${text}" has more than hours:minutes:seconds`);
  return { hours: of(HOUR, hour), minutes: of(MINUTE, minute), seconds: of(SECOND, second) };
}

/** Parses `*-*-*`, `12-24`; with `~` instead of the last `-`, days count from the end of the month. */
function dateOf(text: string): Pick<ScheduleLine, 'years' | 'months'> & { isDayOfMonth: (day: Date) => boolean } {
  const parts = text.replace('~', '-~').split('-');
  if (parts.length === 2) parts.unshift('*');
  const [year = '', month = '', day, ...more] = parts;
  if (more.length > 0 || day === undefined) throw new CalendarError(`date "${text}" is not year-month-day`);
  const fromEnd = day.startsWith('~');
  const days = new Set(fromEnd ? numbersOf(DAY_FROM_END, day.slice(1), { range: '..', fromEnd }) : of(DAY, day));
  return {
    ...(year !== '*' && { years: of(YEAR, year) }),
    months: of(MONTH, month),
    isDayOfMonth: (date) => days.has(fromEnd ? date.getUTCDate() - lengthOfMonth(date) - 1 : date.getUTCDate()),
  };
}

const lengthOfMonth = (date: Date): number =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();

/** Parses `Mon..Fri`, `Mon,Wed`, and the older `Mon-Fri`, into a test of a weekday, 0 for Sunday. */
function weekdaysOf(text: string): (weekday: number) => boolean {
  const days = new Set<number>();
  for (const part of text.replace(/,$/, '').replaceAll('-', '..').split(',')) {
    const [from = 0, to = from, ...more] = part.split('..').map(weekdayOf);
    if (more.length > 0) throw new CalendarError(`days of the week ${part} have more than two ends`);
    if (to < from) throw new CalendarError(`days of the week ${part} run backwards`);
    for (let day = from; day <= to; day++) days.add((day + 1) % 7);
  }
  return (weekday) => days.has(weekday);
}

function weekdayOf(text: string): number {
  const found = WEEKDAYS.findIndex((day) => [day, day.slice(0, 3)].some((name) => isSame(name, text)));
  if (found < 0) throw new CalendarError(`"${text}" is not a day of the week; write Mon to Sun`);
  return found;
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
