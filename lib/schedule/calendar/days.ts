import { DAY_MS } from '#lib/platform/time.ts';
import { CalendarError } from './calendar-error.ts';
import { type Field, numbersOf } from './fields.ts';

/** Whether something is due on a day; the day is midnight UTC of the same date. */
type IsDay = (date: Date) => boolean;

const DAY_OF_MONTH: Field = { name: 'day-of-month', from: 1, to: 31 };
/** 0 and 7 are Sunday. */
const DAY_OF_WEEK: Field = {
  name: 'day-of-week',
  from: 0,
  to: 7,
  names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
};

/** Days of the month as cron writes them: numbers, and `L` for the last. @throws CalendarError */
export function daysOfMonth(text: string): IsDay {
  const [others, last] = partsOf(text, (part) => /^l$/i.test(part));
  const days = new Set(others === undefined ? [] : numbersOf(DAY_OF_MONTH, others, { range: '-' }));
  return (date) => days.has(date.getUTCDate()) || (last.length > 0 && isAmongLast(date, 1));
}

/** Days of the week: numbers, names, `sat#2` for the second of a month, `satL` for its last. @throws CalendarError */
export function daysOfWeek(text: string): IsDay {
  const [others, counted] = partsOf(text, (part) => part.includes('#') || /.l$/i.test(part));
  const listed = others === undefined ? [] : numbersOf(DAY_OF_WEEK, others, { range: '-' });
  const days = new Set(listed.map((day) => day % 7));
  const some = counted.map(countedDay);
  return (date) => days.has(date.getUTCDay()) || some.some((fits) => fits(date));
}

/** The parts of a list that are written with numbers alone, as a list; and the others. */
function partsOf(text: string, isOther: (part: string) => boolean): [string | undefined, string[]] {
  const parts = text.split(',');
  const plain = parts.filter((part) => !isOther(part));
  return [plain.length > 0 ? plain.join(',') : undefined, parts.filter(isOther)];
}

/** `sat#2` or `satL`. */
function countedDay(part: string): IsDay {
  const [name = '', which] = /l$/i.test(part) ? [part.slice(0, -1), 'last'] : part.split('#');
  const [day = 0] = numbersOf(DAY_OF_WEEK, name, { range: '-' });
  if (!/^([1-5]|last)$/.test(which ?? '') || name.includes('-') || part.split('#').length > 2)
    throw new CalendarError(`${DAY_OF_WEEK.name} "${part}" is not known; write sat#1 to sat#5, or satL for the last`);
  const isWeek: IsDay = (date) =>
    which === 'last' ? isAmongLast(date, 7) : Math.ceil(date.getUTCDate() / 7) === Number(which);
  return (date) => date.getUTCDay() === day % 7 && isWeek(date);
}

/** Whether a day is one of the last so many of its month. */
const isAmongLast = (date: Date, days: number): boolean =>
  new Date(date.getTime() + days * DAY_MS).getUTCMonth() !== date.getUTCMonth();
