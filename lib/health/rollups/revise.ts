import type { Env } from '#lib/env.ts';
import { cellOf } from '#lib/keys.ts';
import { hourOf, isClosed } from './hours.ts';

/** An hour that changes after it was rolled up is made anew within this time (ms); what changes meanwhile shares it. */
const REVISED_EVERY_MS = 60_000;
/** Longer than a write may take that was announced (ms). */
const WRITTEN_MS = 15_000;

/**
 * Has the hours of some instants (epoch ms) made anew where they may be rolled up already. To be called before what
 * changes them is written: after it, a crash could lose the message.
 */
export async function reviseRollups(
  env: Env,
  { tenant_id, cell }: { tenant_id: string; cell: string },
  instants: readonly number[],
): Promise<void> {
  const { ports } = env;
  const now = ports.clock.now();
  const closed = instants.filter((at) => isClosed(hourOf(at), now));
  if (closed.length === 0) return;
  const hours = [...new Set(closed.map(hourOf))];
  const due = Math.ceil((now + WRITTEN_MS) / REVISED_EVERY_MS) * REVISED_EVERY_MS;
  await ports.queues.send(
    'rollup',
    hours.map((hour) => ({
      body: { tenant_id, cell, hour, after: due },
      not_before: due,
      group: tenant_id,
    })),
  );
}

/** The cell of a check. */
export const cellNameOf = ({ tenant_id, id }: { tenant_id: string; id: string }) => ({ tenant_id, cell: cellOf(id) });
