import type { TenantEnv } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import { notFound } from '#lib/platform/errors.ts';
import { isId } from '#lib/platform/ids.ts';
import type { CheckItem } from './check-item.ts';

/**
 * Items of checks and how they are read, all strongly:
 *
 * | pattern                     | request                                                        |
 * |-----------------------------|----------------------------------------------------------------|
 * | a check                     | get check(tenant, id)                                          |
 * | a batch of checks           | get many check(tenant, id)                                     |
 * | all checks of a tenant      | query entities(tenant, bucket), then get many of their checks  |
 */

/** The check that a path names; another tenant's looks exactly as if it were not there. Throws NOT_FOUND. */
export async function requireCheck({ ports, keys, tenant }: TenantEnv, id: string): Promise<CheckItem> {
  const check = isId('chk', id) ? await ports.table.get<CheckItem>(keys.check(tenant, id)) : undefined;
  if (!check) throw notFound(`Check ${id}`);
  return check;
}

/** The checks of some entities, in the order of their making within each. */
export async function checksOf({ ports, keys, tenant }: TenantEnv, entities: EntityItem[]): Promise<CheckItem[]> {
  const ids = entities.flatMap((entity) => Object.keys(entity.checks).sort());
  const checks = await ports.table.getMany<CheckItem>(ids.map((id) => keys.check(tenant, id)));
  return checks.filter((check) => check !== undefined);
}
