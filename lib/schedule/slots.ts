import { hash32 } from '#lib/platform/ids.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';

/** Interval schedule: slots are `phase + k × interval`, in epoch ms. Due times of calendars are in `calendar/`. */
export type IntervalSchedule = { phase: number; interval_ms: number };

/** Grid of phases (ms). Slots close to each other are due at the same time, so that their jobs share a message. */
const GRID_MS = 50;

/** Returns the schedule of a cell or an action, spread evenly by its hash, which is the same on every machine. */
export function intervalScheduleOf(id: string, intervalSeconds: number): IntervalSchedule {
  const interval_ms = intervalSeconds * 1000;
  return { phase: Math.floor((hash32(id) / 2 ** 32) * (interval_ms / GRID_MS)) * GRID_MS, interval_ms };
}

/** Minimum time (ms) from the end of an hour to its rollup, so that late records are included. */
export const ROLLUP_DELAY_MS = 5 * 60_000;
/** Returns the schedule of a cell's rollups: spread over the 50 minutes after the delay. */
export const rollupScheduleOf = (cell: string): IntervalSchedule => ({
  phase: ROLLUP_DELAY_MS + Math.floor((hash32(cell) / 2 ** 32) * 3000) * 1000,
  interval_ms: HOUR_MS,
});

/** Returns the latest slot at or before `at`. */
export const latestSlot = ({ phase, interval_ms }: IntervalSchedule, at: number): number =>
  phase + Math.floor((at - phase) / interval_ms) * interval_ms;

export const isSlot = (schedule: IntervalSchedule, at: number): boolean => latestSlot(schedule, at) === at;

/** Returns the slots in (from, to], ascending. */
export function slotsBetween(schedule: IntervalSchedule, from: number, to: number): number[] {
  const slots: number[] = [];
  for (let slot = latestSlot(schedule, from) + schedule.interval_ms; slot <= to; slot += schedule.interval_ms)
    slots.push(slot);
  return slots;
}

/** Returns the slots in (from, to] to execute at `now`: the latest past slot and later ones; earlier ones are gaps. */
export const executableSlots = (schedule: IntervalSchedule, from: number, to: number, now: number): number[] =>
  slotsBetween(schedule, Math.max(from, latestSlot(schedule, now) - schedule.interval_ms), to);

/** Returns the start of the hour, or of the UTC day, of an instant (epoch ms). */
export const startOfHour = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS;
export const startOfDay = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

/** Returns the time (epoch ms) from which an hour may be rolled up; later records cause a new rollup. */
export const closesAt = (hour: number): number => hour + HOUR_MS + ROLLUP_DELAY_MS;
/** Whether an hour can be rolled up. */
export const isClosed = (hour: number, now: number): boolean => closesAt(hour) <= now;
