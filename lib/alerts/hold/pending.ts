import type { TenantEnv } from '#lib/access/context.ts';
import type { Ancestry } from '#lib/alerting/cause/find-cause.ts';
import { isUntold } from '#lib/alerting/decide/recipients.ts';
import type { DeadlineEntry } from '#lib/schedule/deadlines.ts';

/**
 * Entities whose own alert is held, and was told to nobody yet: until its cause is known, or until it is decided after
 * the end of planned work that included what depends on them; with when that is looked at next (epoch ms).
 */
export async function readPending(
  { ports, keys, tenant }: TenantEnv,
  { checks }: Ancestry,
): Promise<Map<string, number>> {
  const down = [...checks.values()].flat().filter(({ state }) => state === 'down');
  if (down.length === 0) return new Map();
  const entries = await ports.table.getMany<DeadlineEntry>(down.map(({ id }) => keys.entry('hold', tenant, id)));
  const pending = new Map<string, number>();
  for (const [i, { entity_id }] of down.entries()) {
    const entry = entries[i];
    if (!entry || !(isUntold(entry) || wasPlanned(entry))) continue;
    pending.set(entity_id, Math.min(entry.deadline, pending.get(entity_id) ?? Number.POSITIVE_INFINITY));
  }
  return pending;
}

const wasPlanned = ({ note }: DeadlineEntry): boolean => {
  const held = note?.held;
  return held?.reason === 'maintenance' && held.window?.include_dependents === true;
};
