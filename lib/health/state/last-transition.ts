import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';
import { TRANSITIONS } from '#lib/keys/prefixes.ts';
import { under } from '#lib/keys.ts';

/** The latest change of a check's state; undefined before the first, and once it is no longer kept. */
export async function lastTransition(
  { ports, keys }: Env<'table'>,
  tenant_id: string,
  check_id: string,
): Promise<TransitionItem | undefined> {
  const { items } = await ports.table.query<TransitionItem>({
    partition: keys.ofCheck(tenant_id, check_id),
    ...under(TRANSITIONS),
    descending: true,
    limit: 1,
  });
  return items[0];
}
