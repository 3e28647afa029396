import { DAY_MS } from '#lib/platform/time.ts';
import type { Line } from './line.ts';
import { offsetAt } from './zones.ts';

/**
 * A line that is due in every n-th week alone, by the calendar of its zone; weeks begin on Monday.
 * @param anchor an instant (epoch ms) of a week in which it is due
 */
export function everyWeeks(line: Line, weeks: number, anchor: number): Line {
  const first = weekOf(anchor + offsetAt(line.zone, anchor));
  return { ...line, isDay: (date) => (weekOf(date.getTime()) - first) % weeks === 0 && line.isDay(date) };
}

/** The number of the week of a wall time (ms); the epoch began on a Thursday. */
const weekOf = (wall: number): number => Math.floor((Math.floor(wall / DAY_MS) + 3) / 7);
