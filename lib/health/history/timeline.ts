import { setImmediate as othersTurn } from 'node:timers/promises';
import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { RevisionItem } from '#lib/checks/settings/revisions.ts';
import { type Moment as StoredMoment, storedRuns } from '#lib/history/runs/runs.ts';
import { type DueSlot, dueSlots, type Window } from '#lib/history/runs/timeline.ts';
import type { NotedCause } from '#lib/results/pack.ts';

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
      else if (isDue) yield { at, missed: next.value as DueSlot, noted: moment.gap };
      if (isDue) next = slots.next();
      if (++moments % MOMENTS_A_TURN === 0) await othersTurn();
    }
  }
  for (; !next.done; next = slots.next()) {
    yield { at: next.value.slot, missed: next.value };
    if (++moments % MOMENTS_A_TURN === 0) await othersTurn();
  }
}
