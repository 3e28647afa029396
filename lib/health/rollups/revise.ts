import type { CheckItem } from '#lib/checks/check-item.ts';
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
export async function reviseRollups(env: Env, check: CheckItem, instants: readonly number[]): Promise<void> {
  const { ports } = env;
  const now = ports.clock.now();
  const hours = [...new Set(instants.map(hourOf))].filter((hour) => isClosed(hour, now));
  if (hours.length === 0) return;
  const { tenant_id } = check;
  const due = Math.ceil((now + WRITTEN_MS) / REVISED_EVERY_MS) * REVISED_EVERY_MS;
  await ports.queues.send(
    'rollup',
    hours.map((hour) => ({
      body: { tenant_id, cell: cellOf(check.id), hour, after: due },
      not_before: due,
      group: tenant_id,
    })),
  );
}
