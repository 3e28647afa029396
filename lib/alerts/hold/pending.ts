import type { TenantEnv } from '#lib/access/context.ts';
import { isUntold } from '#lib/health/alerting/listeners.ts';
import type { Ancestry } from '#lib/health/dependency/gather.ts';
import type { DeadlineEntry } from '#lib/schedule/deadlines.ts';

/**
 * Entities whose own alert is held, and was told to nobody yet: until its cause is known, or until it is decided after
 * the end of planned work that included what depends on them.
 */
export async function readPending({ ports, keys, tenant }: TenantEnv, { checks }: Ancestry): Promise<Set<string>> {
  const down = [...checks.values()].flat().filter(({ state }) => state === 'down');
  if (down.length === 0) return new Set();
  const entries = await ports.table.getMany<DeadlineEntry>(down.map(({ id }) => keys.entry('hold', tenant, id)));
  return new Set(
    down.flatMap(({ entity_id }, i) => (isUntold(entries[i]) || wasPlanned(entries[i]) ? [entity_id] : [])),
  );
}

const wasPlanned = (entry: DeadlineEntry | undefined): boolean => {
  const held = entry?.note?.held;
  return held?.reason === 'maintenance' && held.window?.include_dependents === true;
};
