import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { RevisionItem } from '#lib/checks/settings/revisions.ts';
import { yieldEvery } from '#lib/platform/yielding.ts';
import { PACK_MS, type StoredGapCause } from '#lib/results/pack.ts';
import { dueTimes, parseCalendar } from '#lib/schedule/calendar/calendar.ts';
import { type IntervalSchedule, latestSlot } from '#lib/schedule/slots.ts';
import { type HistoryEntry, type SlotRange, storedEntries } from './stored-results.ts';

/**
 * Evaluation of slots at `now` (epoch ms). A slot has passed at the next slot, or earlier after `patience_ms`. It is
 * missed if it has no result after another `timeout_ms` (at most the interval) for the probe, and PACK_MS.
 */
type SlotEvaluation = { now: number; timeout_ms: number; patience_ms?: number | undefined };

type DueSlot = { slot: number; interval_ms: number };

/** Settings of a check that determine its slots, from `from` (epoch ms) until the next revision. */
export type SettingsRevision = Pick<RevisionItem, 'from' | 'enabled' | 'rhythm' | 'schedule'>;

/**
 * Yields the slots in a time range that must have a result by now, ascending. Pure. A change of settings triggers a
 * probe at once, which replaces the slots that have not passed yet. So a slot counts for a revision if it is not before
 * the start of the revision and has passed before the next change.
 * @param revisions in order of time
 */
function* dueSlots(
  revisions: readonly SettingsRevision[],
  range: SlotRange,
  { now, timeout_ms, patience_ms = Number.POSITIVE_INFINITY }: SlotEvaluation,
): Generator<DueSlot> {
  for (const [i, { from, enabled, rhythm }] of revisions.entries()) {
    if (!enabled) continue;
    const { interval_ms } = rhythm;
    const patience = Math.min(interval_ms, patience_ms);
    const lastPassed = (revisions[i + 1]?.from ?? Number.POSITIVE_INFINITY) - patience;
    const lastMissed = now - patience - Math.min(timeout_ms, interval_ms) - PACK_MS;
    const last = Math.min(lastPassed, lastMissed, range.until - 1);
    for (let slot = firstSlot(rhythm, Math.max(from, range.from)); slot <= last; slot += interval_ms) {
      yield { slot, interval_ms };
    }
  }
}

const firstSlot = (rhythm: IntervalSchedule, at: number): number => latestSlot(rhythm, at - 1) + rhythm.interval_ms;

const DUE_TIMES_PER_TURN = 200;

/** Returns the number of slots in a time range; for a push check with a schedule, of its due times. */
export async function countSlots({ rhythm, schedule }: SettingsRevision, { from, until }: SlotRange): Promise<number> {
  if (!schedule) return (latestSlot(rhythm, until - 1) - latestSlot(rhythm, from - 1)) / rhythm.interval_ms;
  const turn = yieldEvery(DUE_TIMES_PER_TURN);
  let count = 0;
  for (const due of dueTimes(parseCalendar(schedule.text, schedule.zone), from - 1)) {
    if (due >= until) break;
    count++;
    await turn(1);
  }
  return count;
}

type TimelineResult = Extract<HistoryEntry, { gap?: never }>;

/** Result, or missed slot with its cause if stored. `at`: sort time (epoch ms). */
type SlotEntry = (TimelineResult & { missed?: never }) | { at: number; missed: DueSlot; noted?: StoredGapCause };

/** Whether an entry is the result of a manual run or retry, which has no slot. */
const isManualOrRetry = (entry: HistoryEntry): boolean => entry.gap === undefined && 'kind' in entry.result;

/** Entries per turn of the event loop, because a store in this process can resolve without letting other work run. */
const ENTRIES_PER_TURN = 2000;

/**
 * Yields the history of a check in a range, ascending: results except manual runs and retries, and missed slots (none
 * for a push check, which is not probed). Reads page by page to limit memory. `patience_ms`: see `SlotEvaluation`.
 */
export async function* timeline(
  context: TenantEnv,
  check: CheckItem,
  revisions: readonly RevisionItem[],
  range: SlotRange,
  patience_ms?: number,
): AsyncGenerator<SlotEntry> {
  const { timeout_ms } = check;
  const now = context.ports.clock.now();
  const due = check.execution_mode === 'push' ? [] : dueSlots(revisions, range, { now, timeout_ms, patience_ms });
  const slots = due[Symbol.iterator]();
  let next = slots.next();
  let entries = 0;
  for await (const page of storedEntries(context, check, revisions, range)) {
    for (const entry of page) {
      const { at } = entry;
      if (isManualOrRetry(entry)) continue;
      for (; !next.done && next.value.slot < at; next = slots.next()) yield { at: next.value.slot, missed: next.value };
      const isDue = !next.done && next.value.slot === at;
      if (entry.gap === undefined) yield entry;
      else if (isDue) yield { at, missed: next.value, noted: entry.gap };
      if (isDue) next = slots.next();
      if (++entries % ENTRIES_PER_TURN === 0) await yieldToEventLoop();
    }
  }
  for (; !next.done; next = slots.next()) {
    yield { at: next.value.slot, missed: next.value };
    if (++entries % ENTRIES_PER_TURN === 0) await yieldToEventLoop();
  }
}
