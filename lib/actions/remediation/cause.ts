import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';
import type { Deadline } from '#lib/schedule/entries.ts';

/** A failure follows from that of the entity with this name; null while it is found out whether it does. */
export type Cause = { root: string | null };

/**
 * What the alert of a failure waits for, or named when it went out, as long as that fails. A repair of what follows
 * from another failure would repair nothing.
 * @param hold the deadline of an alert of the check that is held
 */
export async function readCause(
  { ports, keys }: Env,
  { tenant_id, alert }: TransitionItem,
  hold: Deadline | undefined,
): Promise<Cause | undefined> {
  const held = hold?.note?.held?.reason === 'dependency' ? hold.note.held : undefined;
  const id = held?.root ?? alert.because?.root_entity_id ?? undefined;
  if (id === undefined) return held && !held.told?.length ? { root: null } : undefined;
  const root = await ports.table.get<EntityItem>(keys.entity(tenant_id, id));
  // What is held on once its root has recovered may recover too.
  return root && (held || root.state === 'down') ? { root: root.name } : undefined;
}
