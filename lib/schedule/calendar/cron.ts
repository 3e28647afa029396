import { DAY_MS } from '#lib/platform/time.ts';
import { CalendarError, type ScheduleLine } from './schedule-line.ts';

/** Field of an expression. `names`: names of the numbers from `from` on, in lower case. */
export type Field = { name: string; from: number; to: number; names?: readonly string[] };

type Notation = {
  /** Separator of a range: `-` in cron, `..` in OnCalendar. */
  range: '-' | '..';
  /** Whether numbers count from the end; they are returned as negative numbers: 1, the last, as -1. */
  fromEnd?: boolean;
};

/** Returns the numbers of a list such as `1,5-9,20-59/10`, ascending. @throws CalendarError */
export function numbersOf(field: Field, text: string, notation: Notation): number[] {
  const numbers = new Set(text.split(',').flatMap((part) => numbersOfPart(field, part, notation)));
  return [...numbers].sort((a, b) => a - b);
}

function numbersOfPart(field: Field, part: string, notation: Notation): number[] {
  const [span = '', step, ...more] = part.split('/');
  if (more.length > 0) throw new CalendarError(`${field.name} ${part} has more than one step`);
  const every = step === undefined ? 1 : stepOf(field, part, step);
  const [from, to] = endsOf(field, span, notation, step !== undefined);
  const numbers: number[] = [];
  for (let number = from; number <= to; number += every) numbers.push(number);
  return numbers;
}

/** Returns the ends of a range; a single number with a step continues to the end. */
function endsOf(field: Field, span: string, { range, fromEnd }: Notation, hasStep: boolean): [number, number] {
  if (span === '*' && hasStep && range === '..')
    throw new CalendarError(`${field.name} */ is not valid in OnCalendar; write ${field.from}/ and the step`);
  if (span === '*' && !fromEnd) return [field.from, field.to];
  const [first = '', second, ...more] = span.split(range);
  if (more.length > 0) throw new CalendarError(`${field.name} ${span} has more than two ends`);
  const from = numberIn(field, first);
  const to = second === undefined ? from : numberIn(field, second);
  if (to < from) throw new CalendarError(`${field.name} ${span} runs backwards`);
  const isOpen = second === undefined && hasStep;
  return fromEnd ? [-to, isOpen ? -1 : -from] : [from, isOpen ? field.to : to];
}

function stepOf({ name }: Field, part: string, step: string): number {
  if (/^\d*[1-9]\d*$/.test(step)) return Number(step);
  throw new CalendarError(`${name} ${part} has an invalid step; write one such as /2`);
}

function numberIn({ name, from, to, names = [] }: Field, text: string): number {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return from + named;
  const values = names.length > 0 ? `${names[0]} to ${names.at(-1)} or ${from} to ${to}` : `${from} to ${to}`;
  if (!/^\d+$/.test(text)) throw new CalendarError(`${name} "${text}" is not known; write ${values}`);
  const value = Number(text);
  if (value > to) throw new CalendarError(`${name} ${text} is over ${to}`);
  if (value < from) throw new CalendarError(`${name} ${text} is under ${from}`);
  return value;
}

type IsDay = (date: Date) => boolean;

const DAY_OF_MONTH: Field = { name: 'day-of-month', from: 1, to: 31 };
/** Day of the week; 0 and 7 are Sunday. */
const DAY_OF_WEEK: Field = {
  name: 'day-of-week',
  from: 0,
  to: 7,
  names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
};

/** Parses days of the month: numbers, and `L` for the last. @throws CalendarError */
function daysOfMonth(text: string): IsDay {
  const [plain, last] = partsOf(text, (part) => /^l$/i.test(part));
  const days = new Set(plain === undefined ? [] : numbersOf(DAY_OF_MONTH, plain, { range: '-' }));
  return (date) => days.has(date.getUTCDate()) || (last.length > 0 && isAmongLast(date, 1));
}

/** Parses days of the week: numbers, names, `sat#2` (second of the month), `satL` (last). @throws CalendarError */
function daysOfWeek(text: string): IsDay {
  const [plain, counted] = partsOf(text, (part) => part.includes('#') || /.l$/i.test(part));
  const listed = plain === undefined ? [] : numbersOf(DAY_OF_WEEK, plain, { range: '-' });
  const days = new Set(listed.map((day) => day % 7));
  const some = counted.map(countedDay);
  return (date) => days.has(date.getUTCDay()) || some.some((fits) => fits(date));
}

function partsOf(text: string, isSpecial: (part: string) => boolean): [string | undefined, string[]] {
  const parts = text.split(',');
  const plain = parts.filter((part) => !isSpecial(part));
  return [plain.length > 0 ? plain.join(',') : undefined, parts.filter(isSpecial)];
}

function countedDay(part: string): IsDay {
  const [name = '', which] = /l$/i.test(part) ? [part.slice(0, -1), 'last'] : part.split('#');
  const [day = 0] = numbersOf(DAY_OF_WEEK, name, { range: '-' });
  if (!/^([1-5]|last)$/.test(which ?? '') || !/^[a-z\d]+$/i.test(name) || part.split('#').length > 2)
    throw new CalendarError(`${DAY_OF_WEEK.name} "${part}" is not known; write sat#1 to sat#5, or satL for the last`);
  const isWeek: IsDay = (date) =>
    which === 'last' ? isAmongLast(date, 7) : Math.ceil(date.getUTCDate() / 7) === Number(which);
  return (date) => date.getUTCDay() === day % 7 && isWeek(date);
}

/** Whether a day is among the last `days` of its month. */
const isAmongLast = (date: Date, days: number): boolean =>
  new Date(date.getTime() + days * DAY_MS).getUTCMonth() !== date.getUTCMonth();

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
 * Parses five fields of crontab(5), with `L` and `#`, or a nickname such as @daily, by the rules of cron(8) on Debian:
 * the day must match both day fields if one begins with `*`, else one is enough. With fixed hours and minutes, a
 * skipped time is due at the clock change and a repeated one once; other lines follow real time. @throws CalendarError
 */
export function parseCron(text: string, zone: string): ScheduleLine {
  const fields = (NICKNAMES[text.toLowerCase()] ?? text).split(/\s+/);
  if (fields[0]!.startsWith('@')) throw unknownNickname(text);
  if (fields.length !== 5) {
    throw new CalendarError(
      `has ${fields.length} fields; cron has five: minute, hour, day-of-month, month, day-of-week`,
    );
  }
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = fields;
  const of = (field: Field, text: string) => numbersOf(field, text, { range: '-' });
  const isDayOfMonth = daysOfMonth(dayOfMonth);
  const isDayOfWeek = daysOfWeek(dayOfWeek);
  const needsBoth = dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*');
  const followsRealTime = minute.startsWith('*') || hour.startsWith('*');
  return {
    zone,
    months: of(MONTH, month),
    isDay: (date) => {
      const [fitsMonth, fitsWeek] = [isDayOfMonth(date), isDayOfWeek(date)];
      return needsBoth ? fitsMonth && fitsWeek : fitsMonth || fitsWeek;
    },
    hours: of(HOUR, hour),
    minutes: of(MINUTE, minute),
    seconds: [0],
    skipped: followsRealTime ? 'not due' : 'due at the change',
    repeated: followsRealTime ? 'due at both' : 'due at the first',
  };
}

function unknownNickname(text: string): CalendarError {
  if (text.toLowerCase() === '@reboot')
    return new CalendarError('@reboot is not a time, so its runs cannot be predicted');
  return new CalendarError(`"${text}" is not known; write one of ${Object.keys(NICKNAMES).join(', ')}`);
}
