import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import { parseCron } from './cron.ts';
import { parseOnCalendar } from './on-calendar.ts';
import { CalendarError, type ScheduleLine } from './schedule-line.ts';
import { isZone, notAZone, offsetAt, stretchesFrom } from './zones.ts';

/** What is not due within five years (ms) counts as never due. */
const SEARCHED_MS = 5 * 366 * DAY_MS;

/**
 * The first due time of a line after an instant, both in epoch ms; undefined when there is none within five years.
 *
 * "Wall" is what clocks of the zone show, as the epoch ms at which clocks in UTC show the same. Where clocks are set
 * forward, the walls of two stretches leave a piece out; where they are set back, they overlap.
 */
function nextDueOf(line: ScheduleLine, after: number): number | undefined {
  const last = after + SEARCHED_MS;
  let shown = Number.NEGATIVE_INFINITY;
  // From a day before, as clocks may have been set back a moment ago.
  for (const { from, until, offset } of stretchesFrom(line.zone, after - DAY_MS)) {
    if (from > last) return undefined;
    const begin = from + offset;
    const isSkipped = shown > Number.NEGATIVE_INFINITY && shown < begin;
    if (isSkipped && from > after && line.skipped === 'due at the change' && nextWall(line, shown, begin) !== undefined)
      return from;
    const fresh = line.repeated === 'due at the first' ? Math.max(begin, shown) : begin;
    const wall = nextWall(line, Math.max(fresh, after + 1 + offset), Math.min(until, last + 1) + offset);
    if (wall !== undefined) return wall - offset;
    shown = until + offset;
  }
}

/** The first wall time in [from, until) that fits the line. */
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

/** The first time of day (ms) at or after `from`. */
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

/** When something is due: at the due times of any of its lines. */
export type Calendar = readonly ScheduleLine[];

const MAX_LINES = 5;

/**
 * A schedule as people write it: one line of cron, or up to five lines of systemd OnCalendar, each with a zone of its
 * own if it names one. One line of five fields is cron.
 * @param zone where its clock hangs: a name of the IANA database
 * @throws CalendarError
 */
export function parseCalendar(text: string, zone: string): Calendar {
  assertTimeZone(zone);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.trim());
  const [only = ''] = lines;
  if (only === '' && lines.length === 1) throw new CalendarError('is empty');
  if (lines.length === 1 && isCron(only)) return [parseCron(only, zone)];
  if (lines.length > MAX_LINES) throw new CalendarError(`has ${lines.length} lines, ${MAX_LINES} is the most`);
  return lines.map((line, i) => {
    if (line === '') throw new CalendarError(`line ${i + 1} is empty`);
    if (isCron(line)) throw new CalendarError(`line ${i + 1} is a cron expression, which must stand alone`);
    return parseOnCalendar(line, zone);
  });
}

/** @throws CalendarError for what is no name of the IANA database */
export function assertTimeZone(name: string): void {
  if (!isZone(name)) throw notAZone(name);
}

/** Words of cron's characters alone, or more words than OnCalendar has without a time. */
function isCron(line: string): boolean {
  const words = line.split(/\s+/);
  if (line.startsWith('@') || words.length === 5) return true;
  return (
    !line.includes(':') && words.length > 1 && (words.length > 3 || words.every((word) => /^[\d*/,-]+$/.test(word)))
  );
}

/** The first due time after an instant, both in epoch ms; undefined when there is none within five years. */
export function nextDue(calendar: Calendar, after: number): number | undefined {
  const found = calendar.flatMap((line) => nextDueOf(line, after) ?? []);
  return found.length > 0 ? Math.min(...found) : undefined;
}

/** The due times after an instant (epoch ms), ascending, as long as there is one within five years of the last. */
export function* dueTimes(calendar: Calendar, after: number): Generator<number, void> {
  for (let due = nextDue(calendar, after); due !== undefined; due = nextDue(calendar, due)) yield due;
}

const MINUTE_MS = 60_000;
/** So many due times are looked through for some that follow each other too soon. */
const LOOKED_THROUGH = 100;

/** Refuses a calendar that has nothing to come, or comes too often. @param now epoch ms @throws CalendarError */
export function assertHasRuns(calendar: Calendar, now: number): void {
  let [count, last] = [0, Number.NEGATIVE_INFINITY];
  for (const due of dueTimes(calendar, now)) {
    if (due - last < MINUTE_MS) throw new CalendarError('is due more than once a minute');
    last = due;
    if (++count === LOOKED_THROUGH) return;
  }
  if (count === 0) throw new CalendarError('has no due time within five years');
}

/** What clocks of a zone show at an instant (epoch ms): `2026-11-22 02:30:04`. */
export const wallClock = (zone: string, at: number): string =>
  new Date(at + offsetAt(zone, at)).toISOString().slice(0, 19).replace('T', ' ');

/**
 * A line that is due in every n-th week alone, by the calendar of its zone; weeks begin on Monday.
 * @param anchor an instant (epoch ms) of a week in which it is due
 */
export function everyWeeks(line: ScheduleLine, weeks: number, anchor: number): ScheduleLine {
  const first = weekOf(anchor + offsetAt(line.zone, anchor));
  return { ...line, isDay: (date) => (weekOf(date.getTime()) - first) % weeks === 0 && line.isDay(date) };
}

/** The number of the week of a wall time (ms); the epoch began on a Thursday. */
const weekOf = (wall: number): number => Math.floor((Math.floor(wall / DAY_MS) + 3) / 7);
