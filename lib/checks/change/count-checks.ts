import type { AccountItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { addLoads, type CheckCountItem, checkCountWrite, NO_LOAD, negated } from '#lib/catalog/check-count.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { loadOfCheck } from '#lib/checks/settings/guard-settings.ts';
import type { Write } from '#lib/platform/ports.ts';
import { oneAtATime } from '#lib/platform/table/retry.ts';

/** Runs work after other changes of this account's checks, and after recordings of this entity. */
export const afterOtherChanges = <T>(
  { ports, tenant }: Context,
  entityId: string,
  work: () => Promise<T>,
): Promise<T> => oneAtATime(ports.table, `${tenant} checks`, () => oneAtATime(ports.table, entityId, work));

/**
 * Adds the writes that update the account's number of checks and the load of the entity's checks, if they change.
 * Returns undefined if the entity does not exist. Throws LIMIT_EXCEEDED. @param next undefined if the check is deleted
 */
export async function countedWith(
  context: Context,
  check: CheckItem,
  next: CheckItem | undefined,
  writes: Write[],
): Promise<Write[] | undefined> {
  const { ports, keys, tenant } = context;
  const load = addLoads(next ? loadOfCheck(next) : NO_LOAD, negated(loadOfCheck(check)));
  const delta = { checks: next ? 0 : -1, load };
  if (delta.checks === 0 && load.probes === 0 && load.expressions === 0) return writes;
  const entityKey = keys.entity(tenant, check.entity_id);
  const [entity, account, count] = await ports.table.getMany<[EntityItem, AccountItem, CheckCountItem]>([
    entityKey,
    keys.account(tenant),
    keys.checkCount(tenant),
  ]);
  if (!entity || !account) return undefined;
  const isEntity = (write: Write) => 'put' in write && write.put.pk === entityKey.pk && write.put.sk === entityKey.sk;
  const entityWrite = writes.find(isEntity) as { put: EntityItem } | undefined;
  // An entity write of the caller already has a version condition, and contains the load of that version.
  const base: EntityItem = entityWrite ? entityWrite.put : { ...entity, v: ports.ids.token() };
  const put: EntityItem = { ...base, check_load: addLoads(base.check_load, load) };
  return [
    ...writes.filter((write) => write !== entityWrite),
    entityWrite ? { ...entityWrite, put } : { put, if: { version: entity.v } },
    checkCountWrite(context, count, delta, account),
  ];
}
