import type { MaintenanceWindow } from '#console/api/records.ts';
import { parseCron } from '#lib/schedule/calendar/cron.ts';
import { CalendarError } from '#lib/schedule/calendar/schedule-line.ts';
import { rangesOf, type TimeRange, type WindowTimes } from '#lib/schedule/calendar/window-ranges.ts';
import { isZone } from '#lib/schedule/calendar/zones.ts';

type Given = Partial<
  Pick<
    MaintenanceWindow,
    'starts_at' | 'ends_at' | 'cron' | 'time_zone' | 'duration_seconds' | 'every_weeks' | 'from' | 'until'
  >
>;

const MS = 1000;

/** Returns the times of a window; undefined if incomplete. @param now default start, epoch ms. Throws CalendarError. */
export function timesOf(given: Given, now: number): WindowTimes | undefined {
  const { starts_at, ends_at, cron, time_zone, duration_seconds, every_weeks, from, until } = given;
  if (!cron) {
    if (!starts_at || !ends_at) return undefined;
    return { starts_at: Date.parse(starts_at), ends_at: Date.parse(ends_at) };
  }
  const zone = time_zone || 'UTC';
  if (!isZone(zone)) throw new CalendarError(`unknown time zone ${zone}: use a name such as Europe/Berlin`);
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

const isPositive = (value: unknown): value is number => typeof value === 'number' && value > 0;

/** Returns up to `limit` occurrences that end after `after` and start before `before` (epoch ms). */
export function nextOccurrences(
  times: WindowTimes,
  after: number,
  limit: number,
  before = Number.POSITIVE_INFINITY,
): TimeRange[] {
  const found: TimeRange[] = [];
  for (const occurrence of rangesOf(times, after)) {
    if (occurrence.from >= before || found.push(occurrence) >= limit) break;
  }
  return found;
}

/** Status of a window: open, planned (`next`), or over. */
export type WindowStatus = { is: 'open' | 'next'; occurrence: TimeRange } | { is: 'over' };

/** @param now epoch ms */
export function windowStatus(window: MaintenanceWindow, now: number): WindowStatus {
  const times = timesOf(window, now);
  const [first] = times ? nextOccurrences(times, now, 1) : [];
  if (!first) return { is: 'over' };
  return { is: first.from <= now ? 'open' : 'next', occurrence: first };
}

const RANK = { open: 0, next: 1, over: 2 };

/** Sorts windows: open by end, planned by start, then past ones. */
export function compareStatus(a: WindowStatus, b: WindowStatus): number {
  if (a.is === 'over' || b.is === 'over' || a.is !== b.is) return RANK[a.is] - RANK[b.is];
  return a.is === 'open' ? a.occurrence.to - b.occurrence.to : a.occurrence.from - b.occurrence.from;
}

type Ending = { change: { ends_at: string } | { from: string } } | 'delete';

/**
 * Returns the change that ends the current occurrence and keeps later ones. A one-time window lasts at least a minute.
 * The `from` of a recurring window becomes its next occurrence, so that `every_weeks` selects the same weeks. A
 * recurring window without a later occurrence is deleted. @param now epoch ms
 */
export function endingOf(window: MaintenanceWindow, now: number): Ending {
  if (window.starts_at !== null) {
    const earliest = Date.parse(window.starts_at) + MIN_WINDOW_MS;
    return { change: { ends_at: new Date(Math.max(now, earliest)).toISOString() } };
  }
  const times = timesOf(window, now);
  const later = times && nextOccurrences(times, now, 2).find(({ from }) => from > now);
  return later ? { change: { from: new Date(later.from).toISOString() } } : 'delete';
}

const MIN_WINDOW_MS = 60_000;
