/**
 * Determines whether a schedule is due at a time from that time only: slow, and implemented independently, so that it
 * can verify the calendar of the service.
 */
const MINUTE_MS = 60_000;
/** Possible lengths of a backward clock change (ms). */
const SET_BACK_MS = [30, 60, 120].map((minutes) => minutes * MINUTE_MS);

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the local time of a zone, as the epoch ms at which UTC shows the same. */
export function wallOf(zone: string, at: number): number {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  formats.set(zone, format);
  const [month, day, year, hour, minute, second] = format.format(at).match(/\d+/g)!.map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Whether a list of numbers, ranges and steps contains a value; `range` separates the ends of a range. */
function isIn(list: string, value: number, [from, to]: [number, number], range: string): boolean {
  return list.split(',').some((part) => {
    const [span = '', step = '1'] = part.split('/');
    const [a, b] = span.split(range).map(Number) as [number, number?];
    const first = span === '*' ? from : a;
    const last = span === '*' || (b === undefined && part.includes('/')) ? to : (b ?? a);
    return value >= first && value <= last && (value - first) % Number(step) === 0;
  });
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

function cronFits(expression: string, wall: number): boolean {
  const date = new Date(wall);
  const [minute, hour, day, month, weekday] = expression.toLowerCase().split(' ') as [
    string,
    string,
    string,
    string,
    string,
  ];
  const numbered = weekday.replaceAll(/[a-z]{3}/g, (name) => String(WEEKDAYS.indexOf(name)));
  const fitsWeek = [date.getUTCDay(), date.getUTCDay() + 7].some((n) => n <= 7 && isIn(numbered, n, [0, 7], '-'));
  const fitsMonth = isIn(day, date.getUTCDate(), [1, 31], '-');
  const both = day.startsWith('*') || weekday.startsWith('*');
  return (
    isIn(minute, date.getUTCMinutes(), [0, 59], '-') &&
    isIn(hour, date.getUTCHours(), [0, 23], '-') &&
    isIn(month, date.getUTCMonth() + 1, [1, 12], '-') &&
    (both ? fitsMonth && fitsWeek : fitsMonth || fitsWeek)
  );
}

/** Whether no earlier time has the same local time. */
const isFirst = (zone: string, at: number): boolean =>
  SET_BACK_MS.every((before) => wallOf(zone, at - before) !== wallOf(zone, at));

/** @param at a whole minute, epoch ms */
export function isCronDue(expression: string, zone: string, at: number): boolean {
  const wall = wallOf(zone, at);
  const goesByRealTime = expression.split(' ', 2).some((field) => field.startsWith('*'));
  if (cronFits(expression, wall) && (goesByRealTime || isFirst(zone, at))) return true;
  if (goesByRealTime) return false;
  for (let skipped = wallOf(zone, at - MINUTE_MS) + MINUTE_MS; skipped < wall; skipped += MINUTE_MS)
    if (cronFits(expression, skipped)) return true;
  return false;
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const SHORTHANDS: Record<string, string> = {
  hourly: '*:00',
  daily: '00:00',
  weekly: 'Mon 00:00',
  monthly: '*-01 00:00',
  quarterly: '1,4,7,10-1 00:00',
  yearly: '1-1 00:00',
};

function weekdayFits(list: string, weekday: number): boolean {
  return list
    .toLowerCase()
    .replaceAll('-', '..')
    .split(',')
    .some((part) => {
      const [from, to = from] = part.split('..').map((name) => DAYS.indexOf(name.slice(0, 3), 1)) as [number, number?];
      return (weekday || 7) >= from && (weekday || 7) <= to;
    });
}

/** Whether the list after `~`, which counts days from the end of a month, contains a day. */
function fromEndFits(list: string, day: number, length: number): boolean {
  const back = length + 1 - day;
  return list.split(',').some((part) => {
    const [span = '', step = '1'] = part.split('/');
    const [a, b] = span.split('..').map(Number) as [number, number?];
    const [far, near] = [b ?? a, b === undefined ? (part.includes('/') ? 1 : a) : a];
    return back <= far && back >= near && (far - back) % Number(step) === 0;
  });
}

export function isOnCalendarDue(expression: string, zone: string, at: number): boolean {
  const date = new Date(wallOf(zone, at));
  const words = (SHORTHANDS[expression] ?? expression).split(' ');
  const time = words.at(-1)!.includes(':') ? words.pop()! : '0:0';
  const days = words.at(-1)?.match(/^(?:([^-~]+)-)?([^-~]+)([-~])([^-~]+)$/);
  const [, year = '*', month = '*', mark = '-', day = '*'] = days && !/^[a-z]/i.test(days[0]) ? days : [];
  const weekdays = words.find((word) => /^[a-z]/i.test(word));
  const [hour = '', minute = '', second = '0'] = time.split(':');
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return (
    (weekdays === undefined || weekdayFits(weekdays, date.getUTCDay())) &&
    isIn(year, date.getUTCFullYear(), [1970, 2199], '..') &&
    isIn(month, date.getUTCMonth() + 1, [1, 12], '..') &&
    (mark === '~' ? fromEndFits(day, date.getUTCDate(), length) : isIn(day, date.getUTCDate(), [1, 31], '..')) &&
    isIn(hour, date.getUTCHours(), [0, 23], '..') &&
    isIn(minute, date.getUTCMinutes(), [0, 59], '..') &&
    isIn(second, date.getUTCSeconds(), [0, 59], '..') &&
    isFirst(zone, at)
  );
}
