import { hash32 } from '#lib/platform/ids.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';

/** A rhythm: its slots are `phase + k × interval`, in epoch ms. Nothing else says when something is due. */
export type IntervalSchedule = { phase: number; interval_ms: number };

/** Slots lie on this grid (ms): what is due in the same moment travels together, and nothing waits for that. */
const GRID_MS = 50;

/**
 * The rhythm of a cell or an action: spread evenly by its hash, the same on every machine and after every restart.
 */
export function intervalScheduleOf(id: string, intervalSeconds: number): IntervalSchedule {
  const interval_ms = intervalSeconds * 1000;
  return { phase: Math.floor((hash32(id) / 2 ** 32) * (interval_ms / GRID_MS)) * GRID_MS, interval_ms };
}

/** An hour is rolled up when it is over and this time has passed (ms), in which late runs may still be recorded. */
export const ROLLUP_DELAY_MS = 5 * 60_000;
/** When a cell rolls up the hour before: at an instant of its own, in the 50 minutes after the delay. */
export const rollupRhythm = (cell: string): IntervalSchedule => ({
  phase: ROLLUP_DELAY_MS + Math.floor((hash32(cell) / 2 ** 32) * 3000) * 1000,
  interval_ms: HOUR_MS,
});

/** The newest slot at or before `at`. */
export const latestSlot = ({ phase, interval_ms }: IntervalSchedule, at: number): number =>
  phase + Math.floor((at - phase) / interval_ms) * interval_ms;

export const isSlot = (rhythm: IntervalSchedule, at: number): boolean => latestSlot(rhythm, at) === at;

/** The slots in (from, to], ascending. */
export function slotsBetween(rhythm: IntervalSchedule, from: number, to: number): number[] {
  const slots: number[] = [];
  for (let slot = latestSlot(rhythm, from) + rhythm.interval_ms; slot <= to; slot += rhythm.interval_ms)
    slots.push(slot);
  return slots;
}

/**
 * The slots in (from, to] that are still worth executing at `now`: of those already past only the newest, as a slot
 * whose successor is due has become a gap.
 */
export const slotsWorth = (rhythm: IntervalSchedule, from: number, to: number, now: number): number[] =>
  slotsBetween(rhythm, Math.max(from, latestSlot(rhythm, now) - rhythm.interval_ms), to);

/** Epoch ms at which the hour, or the UTC day, of an instant begins. */
export const hourOf = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS;
export const dayOf = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

/** From when on an hour may be rolled up (epoch ms): what comes later makes it anew. */
export const closesAt = (hour: number): number => hour + HOUR_MS + ROLLUP_DELAY_MS;
/** Whether an hour may be rolled up by now. */
export const isClosed = (hour: number, now: number): boolean => closesAt(hour) <= now;
