import { CalendarError } from './calendar-error.ts';
import { parseCron } from './cron.ts';
import type { Line } from './line.ts';
import { nextDueOf } from './next-due.ts';
import { parseOnCalendar } from './on-calendar.ts';
import { isZone, notAZone, offsetAt } from './zones.ts';

/** When something is due: at the due times of any of its lines. */
export type Calendar = readonly Line[];

const MOST_LINES = 5;

/**
 * A schedule as people write it: one line of cron, or up to five lines of systemd OnCalendar, each with a zone of its
 * own if it names one. One line of five fields is cron.
 * @param zone where its clock hangs: a name of the IANA database
 * @throws CalendarError
 */
export function parseCalendar(text: string, zone: string): Calendar {
  mustBeZone(zone);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.trim());
  const [only = ''] = lines;
  if (only === '' && lines.length === 1) throw new CalendarError('is empty');
  if (lines.length === 1 && isCron(only)) return [parseCron(only, zone)];
  if (lines.length > MOST_LINES) throw new CalendarError(`has ${lines.length} lines, ${MOST_LINES} is the most`);
  return lines.map((line, i) => {
    if (line === '') throw new CalendarError(`line ${i + 1} is empty`);
    if (isCron(line)) throw new CalendarError(`line ${i + 1} is a cron expression, which must stand alone`);
    return parseOnCalendar(line, zone);
  });
}

/** @throws CalendarError for what is no name of the IANA database */
export function mustBeZone(name: string): void {
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
export function mustBeOfUse(calendar: Calendar, now: number): void {
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
