import type { Env } from '#lib/env.ts';
import { cellOf } from '#lib/keys.ts';
import { hourOf, isClosed } from './hours.ts';

/** An hour that changes after it was rolled up is made anew within this time (ms); what changes meanwhile shares it. */
const REVISED_EVERY_MS = 60_000;
/** A write that was announced takes place by then (ms): no function that announces one may run so long. */
const WRITTEN_MS = 75_000;

/** The instants between which something changes, both included; epoch ms. */
type Changed = { from: number; to: number };

/**
 * Has the hours of a time made anew where they may be rolled up by then. To be called before what changes them is
 * written: after it, a crash could lose the message.
 */
export async function reviseRollups(
  { ports }: Env,
  { tenant_id, cell }: { tenant_id: string; cell: string },
  { from, to }: Changed,
): Promise<void> {
  const written = ports.clock.now() + WRITTEN_MS;
  if (!isClosed(hourOf(from), written)) return;
  const after = Math.ceil(written / REVISED_EVERY_MS) * REVISED_EVERY_MS;
  await ports.queues.send('rollup', [
    { body: { tenant_id, cell, revise: { from, to, after } }, not_before: after, group: tenant_id },
  ]);
}

/** The cell of a check. */
export const cellNameOf = ({ tenant_id, id }: { tenant_id: string; id: string }) => ({ tenant_id, cell: cellOf(id) });

/**
 * What a run may change that is judged at `now`: all since it was checked, or since the first of the failures that it
 * may make an outage of.
 * @param at epoch ms at which it was checked
 */
export const changedBy = (check: { state: string; failing_since?: number }, at: number, now: number): Changed => ({
  from: Math.min(at, (check.state !== 'down' && check.failing_since) || at),
  to: Math.max(at, now),
});
