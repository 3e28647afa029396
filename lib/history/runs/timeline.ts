import type { RevisionItem } from '#lib/checks/settings/revisions.ts';
import { turnsOf } from '#lib/platform/turns.ts';
import { dueTimes, parseCalendar } from '#lib/schedule/calendar/calendar.ts';
import { latestSlot, type Rhythm } from '#lib/schedule/slots.ts';

/** A quiet run waits so long (ms) for others of its slot, with which it is written (record-quiet.ts). */
export const PACK_MS = 2_000;

/**
 * How long a slot is waited for at `now` (epoch ms): until its successor is due, or `patience_ms` have passed; a probe
 * may then take `timeout_ms`, but never longer than its interval.
 */
type Patience = { now: number; timeout_ms: number; patience_ms?: number | undefined };

/** [from, until) in epoch ms. */
export type Window = { from: number; until: number };

/** A slot that a result should stand for; it speaks for the interval that begins with it. */
export type DueSlot = { slot: number; interval_ms: number };

export type Revision = Pick<RevisionItem, 'from' | 'enabled' | 'rhythm' | 'schedule'>;

/**
 * The slots in a window that must have a result by now, ascending. Pure.
 *
 * Slots count from a change of settings on (the probe at the change itself takes the place of one before it), and only
 * if they had been waited for when the settings changed again: of the last one, that next probe has taken the place. A
 * slot can be recorded until its successor is due, and for the time of a probe and a pack after that; until then it is
 * not missed.
 * @param revisions in the order of time
 */
export function* dueSlots(
  revisions: readonly Revision[],
  window: Window,
  { now, timeout_ms, patience_ms = Number.POSITIVE_INFINITY }: Patience,
): Generator<DueSlot> {
  for (const [i, { from, enabled, rhythm }] of revisions.entries()) {
    if (!enabled) continue;
    const { interval_ms } = rhythm;
    const waited = Math.min(interval_ms, patience_ms);
    const ended = (revisions[i + 1]?.from ?? Number.POSITIVE_INFINITY) - waited;
    const settled = now - waited - Math.min(timeout_ms, interval_ms) - PACK_MS;
    const last = Math.min(ended, settled, window.until - 1);
    for (let slot = firstSlot(rhythm, Math.max(from, window.from)); slot <= last; slot += interval_ms) {
      yield { slot, interval_ms };
    }
  }
}

/** The first slot at or after `at`. */
const firstSlot = (rhythm: Rhythm, at: number): number => latestSlot(rhythm, at - 1) + rhythm.interval_ms;

/** Due times that are counted before everything else in the process gets its turn. */
const DUE_A_TURN = 200;

/** How many slots a window has: of a push check with a schedule its due times. */
export async function countSlots({ rhythm, schedule }: Revision, { from, until }: Window): Promise<number> {
  if (!schedule) return (latestSlot(rhythm, until - 1) - latestSlot(rhythm, from - 1)) / rhythm.interval_ms;
  const turn = turnsOf(DUE_A_TURN);
  let count = 0;
  for (const due of dueTimes(parseCalendar(schedule.text, schedule.zone), from - 1)) {
    if (due >= until) break;
    count++;
    await turn(1);
  }
  return count;
}
