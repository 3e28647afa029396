import type { WindowTimes } from '#lib/alerting/policy/intervals.ts';
import { invalid } from '#lib/platform/errors.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import { dueTimes, mustBeZone } from '#lib/schedule/calendar/calendar.ts';
import { CalendarError } from '#lib/schedule/calendar/calendar-error.ts';
import { parseCron } from '#lib/schedule/calendar/cron.ts';
import type { Line } from '#lib/schedule/calendar/line.ts';
import type { WindowPatch } from './window-schemas.ts';

const SHORTEST_MS = 60_000;
const LONGEST_MS = 31 * DAY_MS;

const ONCE = ['starts_at', 'ends_at'] as const;
const AGAIN = ['cron', 'time_zone', 'duration_seconds', 'every_weeks', 'from', 'until'] as const;

type Given = Pick<WindowPatch, (typeof ONCE)[number] | (typeof AGAIN)[number]>;

/**
 * Pure: the times of a window as a request states them, laid over those it has. One that comes once stays so.
 * @param now epoch ms
 * @throws AppError VALIDATION_ERROR by member: of no length, too long, over already, in a zone that is none
 */
export function timesOf(given: Given, now: number, stored?: WindowTimes): WindowTimes {
  const comesAgain = stored ? 'cron' in stored : given.cron !== undefined;
  const strange = (comesAgain ? ONCE : AGAIN).find((name) => given[name] !== undefined && given[name] !== null);
  if (strange) {
    const kind = comesAgain ? 'one that comes once; this one has a cron' : 'one that comes again, by its cron';
    throw invalid(strange, `is of ${kind}`);
  }
  return comesAgain ? recurring(given, now, stored) : once(given, now, stored);
}

function once(given: Given, now: number, stored: WindowTimes | undefined): WindowTimes {
  const before = stored && 'starts_at' in stored ? stored : undefined;
  const starts_at = given.starts_at ?? before?.starts_at;
  const ends_at = given.ends_at ?? before?.ends_at;
  if (starts_at === undefined) throw invalid('starts_at', 'is required, or cron for a window that comes again');
  if (ends_at === undefined) throw invalid('ends_at', 'is required');
  mustLast('ends_at', ends_at - starts_at);
  if (given.ends_at !== undefined && ends_at !== before?.ends_at && ends_at <= now && !before)
    throw invalid('ends_at', `has passed: it is ${iso(now)} now`);
  return { starts_at, ends_at };
}

function recurring(given: Given, now: number, stored: WindowTimes | undefined): WindowTimes {
  const before = stored && 'cron' in stored ? stored : undefined;
  const cron = given.cron ?? before!.cron;
  const time_zone = given.time_zone ?? before?.time_zone ?? 'UTC';
  const duration_ms = given.duration_seconds === undefined ? before?.duration_ms : given.duration_seconds * 1000;
  if (duration_ms === undefined) throw invalid('duration_seconds', 'is required beside cron');
  mustLast('duration_seconds', duration_ms);
  const from = given.from ?? before?.from ?? now;
  const until = given.until === undefined ? before?.until : (given.until ?? undefined);
  if (until !== undefined && until <= from) throw invalid('until', 'must be after from');
  understood('time_zone', () => mustBeZone(time_zone));
  const line = understood('cron', () => parseCron(cron, time_zone));
  mustEndBetween(line, from, duration_ms);
  const every_weeks = given.every_weeks ?? before?.every_weeks ?? 1;
  return { cron, time_zone, duration_ms, every_weeks, from, ...(until !== undefined && { until }) };
}

/** So many starts are looked at. */
const LOOKED_AT = 50;

/** One that begins again before it is over says nothing that a longer one would not. */
function mustEndBetween(line: Line, from: number, duration_ms: number): void {
  let last: number | undefined;
  let looked = 0;
  for (const start of dueTimes([line], from - 1)) {
    if (last !== undefined && start - last < duration_ms)
      throw invalid('duration_seconds', `is longer than the ${(start - last) / 1000} seconds between two starts`);
    last = start;
    if (++looked === LOOKED_AT) return;
  }
  if (last === undefined) throw invalid('cron', 'has no start within five years');
}

function mustLast(member: string, length_ms: number): void {
  if (member === 'ends_at' && length_ms <= 0) throw invalid(member, 'must be after starts_at');
  if (length_ms < SHORTEST_MS) throw invalid(member, 'makes a window of less than 60 seconds, which is the least');
  if (length_ms > LONGEST_MS) throw invalid(member, 'makes a window of more than 31 days, which is the most');
}

/** What a parser of the calendar has against it, as a fault of a member. */
function understood<T>(member: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof CalendarError) throw invalid(member, error.message);
    throw error;
  }
}
