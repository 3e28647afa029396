import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import { parseCron } from './cron.ts';
import { parseOnCalendar } from './on-calendar.ts';
import { CalendarError, type ScheduleLine } from './schedule-line.ts';
import { isZone, notAZone, offsetAt, stretchesFrom } from './zones.ts';

/** Maximum search range (ms): a later due time counts as never. */
const MAX_SEARCH_MS = 5 * 366 * DAY_MS;

/**
 * Returns the first due time of a line after an instant, in epoch ms; undefined without one within five years. Wall
 * time is local time, as the epoch ms at which clocks in UTC show it. Wall times of consecutive stretches (zones.ts)
 * have a gap if clocks are set forward, and overlap if they are set back.
 */
function nextDueOf(line: ScheduleLine, after: number): number | undefined {
  const last = after + MAX_SEARCH_MS;
  /** Wall time up to which earlier stretches were searched. */
  let searched = Number.NEGATIVE_INFINITY;
  // From a day before, because clocks may have been set back just before.
  for (const { from, until, offset } of stretchesFrom(line.zone, after - DAY_MS)) {
    if (from > last) return undefined;
    const begin = from + offset;
    const isSkipped = searched > Number.NEGATIVE_INFINITY && searched < begin;
    if (
      isSkipped &&
      from > after &&
      line.skipped === 'due at the change' &&
      nextWall(line, searched, begin) !== undefined
    )
      return from;
    const fresh = line.repeated === 'due at the first' ? Math.max(begin, searched) : begin;
    const wall = nextWall(line, Math.max(fresh, after + 1 + offset), Math.min(until, last + 1) + offset);
    if (wall !== undefined) return wall - offset;
    searched = until + offset;
  }
}

function nextWall(line: ScheduleLine, from: number, until: number): number | undefined {
  for (let day = Math.floor(from / DAY_MS) * DAY_MS; day < until; day += DAY_MS) {
    const date = new Date(day);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    if (line.years && !line.years.includes(year)) day = Date.UTC(year + 1, 0, 0);
    else if (!line.months.includes(month + 1)) day = Date.UTC(year, month + 1, 0);
    else if (line.isDay(date)) {
      const time = nextTime(line, from - day);
      if (time !== undefined) return day + time < until ? day + time : undefined;
    }
  }
  return undefined;
}

function nextTime({ hours, minutes, seconds }: ScheduleLine, from: number): number | undefined {
  for (const hour of hours) {
    if ((hour + 1) * HOUR_MS <= from) continue;
    for (const minute of minutes) {
      for (const second of seconds) {
        const time = ((hour * 60 + minute) * 60 + second) * 1000;
        if (time >= from) return time;
      }
    }
  }
  return undefined;
}

/** Lines of a schedule, which is due when any of them is. */
export type Calendar = readonly ScheduleLine[];

const MAX_LINES = 5;

/** Parses a cron line, or up to five of OnCalendar. `zone`: IANA name for lines without one. @throws CalendarError */
export function parseCalendar(text: string, zone: string): Calendar {
  assertTimeZone(zone);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.trim());
  const [only = ''] = lines;
  if (only === '' && lines.length === 1) throw new CalendarError('is empty');
  if (lines.length === 1 && isCron(only)) return [parseCron(only, zone)];
  if (lines.length > MAX_LINES) throw new CalendarError(`has ${lines.length} lines, more than ${MAX_LINES}`);
  return lines.map((line, i) => {
    if (line === '') throw new CalendarError(`line ${i + 1} is empty`);
    if (isCron(line)) throw new CalendarError(`line ${i + 1} is a cron expression, which must be the only line`);
    return parseOnCalendar(line, zone);
  });
}

/** @throws CalendarError if the name is not in the IANA database */
export function assertTimeZone(name: string): void {
  if (!isZone(name)) throw notAZone(name);
}

/** Whether a line is meant as cron, even if it does not have five words. */
function isCron(line: string): boolean {
  const words = line.split(/\s+/);
  if (line.startsWith('@') || words.length === 5) return true;
  return (
    !line.includes(':') && words.length > 1 && (words.length > 3 || words.every((word) => /^[\d*/,-]+$/.test(word)))
  );
}

/** Returns the first due time after an instant, in epoch ms; undefined without one within five years. */
export function nextDue(calendar: Calendar, after: number): number | undefined {
  const found = calendar.flatMap((line) => nextDueOf(line, after) ?? []);
  return found.length > 0 ? Math.min(...found) : undefined;
}

/** Yields the due times after an instant (epoch ms), ascending, until a gap of over five years. */
export function* dueTimes(calendar: Calendar, after: number): Generator<number, void> {
  const search = (line: ScheduleLine, from: number) => {
    const due = nextDueOf(line, from);
    return { line, isDue: due !== undefined, at: due ?? from + MAX_SEARCH_MS };
  };
  let lines = calendar.map((line) => search(line, after));
  for (let last = after; ; ) {
    const at = Math.min(...lines.map((one) => one.at));
    if (lines.some((one) => one.isDue && one.at === at)) {
      yield at;
      last = at;
    } else if (at === last + MAX_SEARCH_MS) return;
    // Other lines are not searched again, because the search for a rare due time covers years.
    lines = lines.map((one) => (one.at === at ? search(one.line, last) : one));
  }
}

const MINUTE_MS = 60_000;
const CHECKED_DUE_TIMES = 100;

/**
 * Rejects a calendar without a due time within five years, or with two of its first hundred less than a minute apart.
 * @param now epoch ms @throws CalendarError
 */
export function assertDueTimes(calendar: Calendar, now: number): void {
  let [count, last] = [0, Number.NEGATIVE_INFINITY];
  for (const due of dueTimes(calendar, now)) {
    if (due - last < MINUTE_MS) throw new CalendarError('is due more than once a minute');
    last = due;
    if (++count === CHECKED_DUE_TIMES || due > now + MAX_SEARCH_MS) return;
  }
  if (count === 0) throw new CalendarError('has no due time within five years');
}

/** Returns the wall time of a zone at an instant (epoch ms): `2026-11-22 02:30:04`. */
export const wallClock = (zone: string, at: number): string =>
  new Date(at + offsetAt(zone, at)).toISOString().slice(0, 19).replace('T', ' ');

/** Limits a line to every n-th week, from Monday, in its zone. `anchor`: an instant (epoch ms) of a due week. */
export function everyWeeks(line: ScheduleLine, weeks: number, anchor: number): ScheduleLine {
  const first = weekOf(anchor + offsetAt(line.zone, anchor));
  return { ...line, isDay: (date) => (weekOf(date.getTime()) - first) % weeks === 0 && line.isDay(date) };
}

/** Returns the week number of a wall time (ms); the epoch began on a Thursday. */
const weekOf = (wall: number): number => Math.floor((Math.floor(wall / DAY_MS) + 3) / 7);
