import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import type { Line } from './line.ts';
import { stretchesFrom } from './zones.ts';

/** What is not due within five years (ms) counts as never due. */
const SEARCHED_MS = 5 * 366 * DAY_MS;

/**
 * The first due time of a line after an instant, both in epoch ms; undefined when there is none within five years.
 *
 * "Wall" is what clocks of the zone show, as the epoch ms at which clocks in UTC show the same. Where clocks are set
 * forward, the walls of two stretches leave a piece out; where they are set back, they overlap.
 */
export function nextDueOf(line: Line, after: number): number | undefined {
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
function nextWall(line: Line, from: number, until: number): number | undefined {
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
function nextTime({ hours, minutes, seconds }: Line, from: number): number | undefined {
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
