import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Outcome } from '#lib/checks/outcome.ts';
import { countsFrom, nextState } from '#lib/checks/state/next-state.ts';
import type { Env } from '#lib/env.ts';
import { cellOf } from '#lib/keys.ts';
import type { MessageOf, MessageTo } from '#lib/messages.ts';
import { hourOf, isClosed } from '#lib/schedule/slots.ts';

/** What is revised within this time (ms) is revised once. */
const REVISED_EVERY_MS = 30_000;
/** A write that was announced takes place by then (ms): no function that reports one may run so long. */
const WRITTEN_MS = 75_000;

/** The instants between which something changes, both included; epoch ms. */
type Changed = { from: number; to: number };

export type Revision = NonNullable<MessageOf<'rollup'>['revise']>;

/** A cell of an account. */
type Cell = { tenant_id: string; cell: string };

/**
 * Has the hours of a time made anew where they may be rolled up by then. To be called before what changes them is
 * written: after it, a crash could lose the message.
 */
export async function reviseRollups({ ports }: Env, cell: Cell, { from, to }: Changed): Promise<void> {
  const written = ports.clock.now() + WRITTEN_MS;
  if (!isClosed(hourOf(from), written)) return;
  const revision: Revision = { of: 'hour', from, to, after: sharedInstant(written) };
  await ports.queues.send('rollup', [revisionMessage(cell, revision)]);
}

/** The next instant (epoch ms) at which something is revised. */
export const sharedInstant = (at: number): number => Math.ceil(at / REVISED_EVERY_MS) * REVISED_EVERY_MS;

export const revisionMessage = ({ tenant_id, cell }: Cell, revise: Revision): MessageTo<'rollup'> => ({
  body: { tenant_id, cell, revise },
  not_before: revise.after,
  group: tenant_id,
});

/** The cell of a check. */
export const cellNameOf = ({ tenant_id, id }: { tenant_id: string; id: string }) => ({ tenant_id, cell: cellOf(id) });

/**
 * What a run changes that is judged at `now`: the hour that it is counted in (`at`), and by a change of state all since
 * that counts. All in epoch ms.
 * @param check as it is judged
 */
export function changedBy(
  check: Parameters<typeof nextState>[0] & Pick<CheckItem, 'streaks_since'>,
  { outcome, at, now }: { outcome: Outcome; at: number; now: number },
): Changed {
  const { state } = nextState(check, outcome);
  if (state === check.state) return { from: at, to: at };
  return { from: Math.min(at, countsFrom(check, state, { outcome, at })), to: Math.max(at, now) };
}
