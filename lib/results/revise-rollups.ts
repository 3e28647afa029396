import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Outcome } from '#lib/checks/outcome.ts';
import { countsFrom, nextState } from '#lib/checks/state/next-state.ts';
import type { Env } from '#lib/env.ts';
import { cellOf } from '#lib/keys.ts';
import type { RollupMessage } from '#lib/messages.ts';
import type { Message } from '#lib/platform/ports.ts';
import { isClosed, startOfHour } from '#lib/schedule/slots.ts';

/** Interval (ms) at which revisions are made. Requests for the same hour within one interval cause one revision. */
const REVISION_INTERVAL_MS = 30_000;
/** Maximum time (ms) from a revision request to the commit: above the timeout of each writing function except `mcp`. */
const WRITTEN_MS = 75_000;

/** First and last changed instant; epoch ms. */
type Changed = { from: number; to: number };

export type Revision = NonNullable<RollupMessage['revise']>;

type Cell = { tenant_id: string; cell: string };

/** Requests new rollups of a range. Call it before the write: a crash after the write could lose the message. */
export const reviseRollups = (env: Env, cell: Cell, changed: Changed): Promise<void> =>
  reviseCells(env, [cell], [changed]);

/** Requests new rollups of all ranges in each cell, as `reviseRollups` does for one. */
export async function reviseCells(
  { ports }: Env<'clock' | 'queues'>,
  cells: readonly Cell[],
  ranges: readonly Changed[],
): Promise<void> {
  const written = ports.clock.now() + WRITTEN_MS;
  const after = nextRevisionAt(written);
  const closed = ranges.filter(({ from }) => isClosed(startOfHour(from), written));
  const messages = cells.flatMap((cell) =>
    closed.map(({ from, to }) => revisionMessage(cell, { of: 'hour', from, to, after })),
  );
  if (messages.length > 0) await ports.queues.send('housekeeping', messages);
}

/** Returns the first instant at or after `at` (epoch ms) at which revisions are made. */
export const nextRevisionAt = (at: number): number => Math.ceil(at / REVISION_INTERVAL_MS) * REVISION_INTERVAL_MS;

export const revisionMessage = ({ tenant_id, cell }: Cell, revise: Revision): Message<RollupMessage> => ({
  body: { tenant_id, cell, revise },
  not_before: revise.after,
  group: tenant_id,
});

export const cellOfCheck = ({ tenant_id, id }: { tenant_id: string; id: string }) => ({ tenant_id, cell: cellOf(id) });

/**
 * Returns the range (epoch ms) whose rollups change when a result is applied at `now`: the time of the result or, if
 * the state changes, the range to `now` from the time at which the new state begins to count.
 */
export function changedBy(
  check: Parameters<typeof nextState>[0] & Pick<CheckItem, 'streaks_since'>,
  { outcome, at, now }: { outcome: Outcome; at: number; now: number },
): Changed {
  const { state } = nextState(check, outcome);
  if (state === check.state) return { from: at, to: at };
  return { from: Math.min(at, countsFrom(check, state, { outcome, at })), to: Math.max(at, now) };
}
