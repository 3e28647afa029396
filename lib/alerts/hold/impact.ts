import type { TenantEnv } from '#lib/access/context.ts';
import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { Alert } from '#lib/channels/alert.ts';
import type { Item } from '#lib/platform/ports.ts';

/** How many are counted, and how many are named. */
const MOST = 1000;
const NAMED = 10;

/**
 * What an alert for down says of others, as it is when it is sent: how many fail with the same root, and how many
 * depend on the entity. Nothing is read where that concerns nobody else.
 */
export async function impactOf(
  { ports, keys, tenant }: TenantEnv,
  entity: Pick<EntityItem, 'id' | 'dependents'>,
  item: AlertItem | undefined,
): Promise<Partial<Pick<Alert, 'affected' | 'impact'>>> {
  if (!item?.with_others || item.announces !== 'down') return {};
  const ids = (await failingWith({ ports, keys, tenant }, item.root?.entity_id ?? entity.id)).filter(
    (id) => id !== entity.id,
  );
  const entities = await ports.table.getMany<EntityItem>(ids.slice(0, NAMED).map((id) => keys.entity(tenant, id)));
  const names = entities.flatMap((one) => (one ? [one.name] : []));
  return {
    affected: { count: ids.length, names },
    ...(entity.dependents > 0 && { impact: { count: entity.dependents, names: [] } }),
  };
}

/** Ids of the entities whose alerts are held since they fail with a root, up to 1,000. */
export async function failingWith({ ports, keys, tenant }: TenantEnv, root: string): Promise<string[]> {
  const partition = keys.heldUnder(tenant, root);
  const { items } = await ports.table.query<Item & { entity_id: string }>({ partition, limit: MOST, eventual: true });
  return [...new Set(items.map(({ entity_id }) => entity_id))];
}
