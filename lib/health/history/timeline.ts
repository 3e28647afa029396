import { setImmediate as othersTurn } from 'node:timers/promises';
import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type DueSlot, dueSlots, type Revision, type Window } from '#lib/health/recording/due-slots.ts';
import { RESULTS, stamp } from '#lib/keys.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { orderOf, type ResultItem } from './result-item.ts';

/** A result, or a slot that has none and never will. `at` is what it is ordered by, epoch ms. */
type Moment = { at: number; result: ResultItem; missed?: never } | { at: number; missed: DueSlot; result?: never };

/** After so many moments everything else in the process gets its turn: a store may answer without ever waiting. */
const MOMENTS_A_TURN = 2000;

/**
 * What happened to a check in a window, ascending: its results, and between them the slots that were missed (none of a
 * push check, which we do not probe). Read page by page, so that memory does not grow with the window.
 */
export async function* timeline(
  context: TenantEnv,
  check: CheckItem,
  revisions: readonly Revision[],
  window: Window,
): AsyncGenerator<Moment> {
  let moments = 0;
  for await (const moment of allMoments(context, check, revisions, window)) {
    yield moment;
    if (++moments % MOMENTS_A_TURN === 0) await othersTurn();
  }
}

async function* allMoments(
  { ports, keys, tenant }: TenantEnv,
  check: CheckItem,
  revisions: readonly Revision[],
  window: Window,
): AsyncGenerator<Moment> {
  const { timeout_ms } = check;
  const now = ports.clock.now();
  const due = check.execution_mode === 'push' ? [] : dueSlots(revisions, window, { now, timeout_ms });
  const slots = due[Symbol.iterator]();
  let next = slots.next();
  const results = {
    partition: keys.ofCheck(tenant, check.id),
    from: `${RESULTS}${stamp(window.from)}`,
    to: `${RESULTS}${stamp(window.until)}`,
  };
  for await (const page of pagesOf<ResultItem>(ports.table, results)) {
    for (const result of page) {
      const at = orderOf(result);
      for (; !next.done && next.value.slot < at; next = slots.next()) yield { at: next.value.slot, missed: next.value };
      if (!next.done && next.value.slot === at) next = slots.next();
      yield { at, result };
    }
  }
  for (; !next.done; next = slots.next()) yield { at: next.value.slot, missed: next.value };
}
