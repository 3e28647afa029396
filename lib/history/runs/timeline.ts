import { setImmediate as othersTurn } from 'node:timers/promises';
import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { RevisionItem } from '#lib/checks/settings/revisions.ts';
import { turnsOf } from '#lib/platform/turns.ts';
import { type NotedCause, PACK_MS } from '#lib/results/pack.ts';
import { dueTimes, parseCalendar } from '#lib/schedule/calendar/calendar.ts';
import { latestSlot, type Rhythm } from '#lib/schedule/slots.ts';
import { type Moment as StoredMoment, storedRuns, type Window } from './runs.ts';

/**
 * How long a slot is waited for at `now` (epoch ms): until its successor is due, or `patience_ms` have passed; a probe
 * may then take `timeout_ms`, but never longer than its interval.
 */
type Patience = { now: number; timeout_ms: number; patience_ms?: number | undefined };

/** A slot that a result should stand for; it speaks for the interval that begins with it. */
type DueSlot = { slot: number; interval_ms: number };

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
function* dueSlots(
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

type Run = Extract<StoredMoment, { gap?: never }>;

/**
 * A run, or a slot that has none and never will, with its cause where that was noted. `at` is what it is ordered by,
 * epoch ms.
 */
type Moment = (Run & { missed?: never }) | { at: number; missed: DueSlot; noted?: NotedCause };

/** A run by hand and a retry are no slot's, whatever they found. */
const isNoSlots = (moment: StoredMoment): boolean => moment.gap === undefined && 'kind' in moment.run;

/** After so many pages everything else in the process gets its turn: a store may answer without ever waiting. */
const MOMENTS_A_TURN = 2000;

/**
 * What happened to a check in a window, ascending: its runs, and between them the slots that were missed (none of a
 * push check, which we do not probe). Read page by page, so that memory does not grow with the window.
 * @param patience_ms a slot counts as missed after this time, though its successor is not due yet
 */
export async function* timeline(
  context: TenantEnv,
  check: CheckItem,
  revisions: readonly RevisionItem[],
  window: Window,
  patience_ms?: number,
): AsyncGenerator<Moment> {
  const { timeout_ms } = check;
  const now = context.ports.clock.now();
  const due = check.execution_mode === 'push' ? [] : dueSlots(revisions, window, { now, timeout_ms, patience_ms });
  const slots = due[Symbol.iterator]();
  let next = slots.next();
  let moments = 0;
  for await (const page of storedRuns(context, check, revisions, window)) {
    for (const moment of page) {
      const { at } = moment;
      if (isNoSlots(moment)) continue;
      for (; !next.done && next.value.slot < at; next = slots.next()) yield { at: next.value.slot, missed: next.value };
      const isDue = !next.done && next.value.slot === at;
      if (moment.gap === undefined) yield moment;
      else if (isDue) yield { at, missed: next.value, noted: moment.gap };
      if (isDue) next = slots.next();
      if (++moments % MOMENTS_A_TURN === 0) await othersTurn();
    }
  }
  for (; !next.done; next = slots.next()) {
    yield { at: next.value.slot, missed: next.value };
    if (++moments % MOMENTS_A_TURN === 0) await othersTurn();
  }
}
