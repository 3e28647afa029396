import type { MaintenanceWindow } from '#console/api/records.ts';
import { intervalsOf, type TimeRange, type WindowTimes } from '#lib/alerting/policy/intervals.ts';
import { parseCron } from '#lib/schedule/calendar/cron.ts';
import { CalendarError } from '#lib/schedule/calendar/schedule-line.ts';
import { isZone } from '#lib/schedule/calendar/zones.ts';

/** The members of a window that say when it is open; a form may not have all of them yet. */
type Given = Partial<
  Pick<
    MaintenanceWindow,
    'starts_at' | 'ends_at' | 'cron' | 'time_zone' | 'duration_seconds' | 'every_weeks' | 'from' | 'until'
  >
>;

const MS = 1000;

/**
 * When a window is open, as the service counts it; undefined while something is missing.
 * @param now epoch ms: from when on one counts that does not say
 * @throws CalendarError for a cron or a zone that is none
 */
export function timesOf(given: Given, now: number): WindowTimes | undefined {
  const { starts_at, ends_at, cron, time_zone, duration_seconds, every_weeks, from, until } = given;
  if (!cron) {
    if (!starts_at || !ends_at) return undefined;
    return { starts_at: Date.parse(starts_at), ends_at: Date.parse(ends_at) };
  }
  const zone = time_zone || 'UTC';
  if (!isZone(zone)) throw new CalendarError(`there is no time zone ${zone}; write one such as Europe/Berlin`);
  parseCron(cron, zone);
  if (!isPositive(duration_seconds)) return undefined;
  return {
    cron,
    time_zone: zone,
    duration_ms: duration_seconds * MS,
    every_weeks: isPositive(every_weeks) ? every_weeks : 1,
    from: from ? Date.parse(from) : now,
    ...(until && { until: Date.parse(until) }),
  };
}

/** What was typed may be no number. */
const isPositive = (value: unknown): value is number => typeof value === 'number' && value > 0;

/**
 * The first intervals that end after an instant, in the order of time; at most so many.
 * @param after epoch ms
 * @param before epoch ms: those that begin then or later are left out
 */
export function coming(
  times: WindowTimes,
  after: number,
  most: number,
  before = Number.POSITIVE_INFINITY,
): TimeRange[] {
  const found: TimeRange[] = [];
  for (const interval of intervalsOf(times, after)) {
    if (interval.from >= before || found.push(interval) >= most) break;
  }
  return found;
}

/** What a window is at a moment: open, to come, or over for good. */
export type WindowStatus = { is: 'open' | 'next'; interval: TimeRange } | { is: 'over' };

/** @param now epoch ms */
export function windowStatus(window: MaintenanceWindow, now: number): WindowStatus {
  const times = timesOf(window, now);
  const [first] = times ? coming(times, now, 1) : [];
  if (!first) return { is: 'over' };
  return { is: first.from <= now ? 'open' : 'next', interval: first };
}

const RANK = { open: 0, next: 1, over: 2 };

/** Those that are open first, by their end; then by when they are open next; those that are over last. */
export function compareStanding(a: WindowStatus, b: WindowStatus): number {
  if (a.is === 'over' || b.is === 'over' || a.is !== b.is) return RANK[a.is] - RANK[b.is];
  return a.is === 'open' ? a.interval.to - b.interval.to : a.interval.from - b.interval.from;
}

type Ending = { change: { ends_at: string } | { from: string } } | 'delete';

/**
 * What ends the present interval of an open window and leaves the later ones: one that comes once ends now, one that
 * comes again begins to count at its next start, which also keeps its weeks. Where no later one is left it is deleted.
 * @param now epoch ms
 */
export function endingOf(window: MaintenanceWindow, now: number): Ending {
  if (window.starts_at !== null) {
    const earliest = Date.parse(window.starts_at) + MIN_MS;
    return { change: { ends_at: new Date(Math.max(now, earliest)).toISOString() } };
  }
  const times = timesOf(window, now);
  const later = times && coming(times, now, 2).find(({ from }) => from > now);
  return later ? { change: { from: new Date(later.from).toISOString() } } : 'delete';
}

/** No window is shorter. */
const MIN_MS = 60_000;
