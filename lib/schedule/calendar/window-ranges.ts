import { type Calendar, dueTimes, everyWeeks, nextDue } from '#lib/schedule/calendar/calendar.ts';
import { parseCron } from '#lib/schedule/calendar/cron.ts';

/** The times of a maintenance window, in epoch ms. */
export type WindowTimes =
  | { starts_at: number; ends_at: number }
  | {
      /** Five fields in `time_zone`. Wall-clock time decides the start, elapsed time the length. */
      cron: string;
      time_zone: string;
      duration_ms: number;
      /** Weeks are counted from the week of the first start. */
      every_weeks: number;
      /** Limits of its starts: at or after `from`, and before `until`. */
      from: number;
      until?: number;
    };

/** [from, to) in epoch ms. */
export type TimeRange = { from: number; to: number };

const calendars = new WeakMap<WindowTimes, Calendar>();

/** Yields the time ranges of a window that end after `after` (epoch ms), in order of their start. Pure. */
export function* rangesOf(times: WindowTimes, after: number): Generator<TimeRange, void> {
  if ('starts_at' in times) {
    if (times.ends_at > after) yield { from: times.starts_at, to: times.ends_at };
    return;
  }
  const { duration_ms, from, until = Number.POSITIVE_INFINITY } = times;
  for (const start of dueTimes(calendarOf(times), Math.max(after - duration_ms, from - 1))) {
    if (start >= until) return;
    yield { from: start, to: start + duration_ms };
  }
}

function calendarOf(times: Exclude<WindowTimes, { starts_at: number }>): Calendar {
  const known = calendars.get(times);
  if (known) return known;
  const { cron, time_zone, every_weeks, from } = times;
  const line = parseCron(cron, time_zone);
  const first = nextDue([line], from - 1) ?? from;
  const calendar = every_weeks > 1 ? [everyWeeks(line, every_weeks, first)] : [line];
  calendars.set(times, calendar);
  return calendar;
}

/** Finds the time range that contains `at` and ends last, and the next one that starts after `at`. Pure. */
export function rangesAt(times: WindowTimes, at: number): { current?: TimeRange; next?: TimeRange } {
  let current: TimeRange | undefined;
  for (const range of rangesOf(times, at)) {
    if (range.from > at) return { ...(current && { current }), next: range };
    current = range;
  }
  return current ? { current } : {};
}
