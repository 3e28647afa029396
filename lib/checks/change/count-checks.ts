import type { AccountItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { type CheckCountItem, countChecks, loadOf } from '#lib/catalog/check-count.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Write } from '#lib/platform/ports.ts';
import { oneAtATime } from '#lib/platform/table/retry.ts';

/** What a check adds to its account's load: nothing while it is disabled or waits for pushes. */
export const loadOfCheck = ({ enabled, execution_mode, interval_seconds }: CheckItem): number =>
  enabled && execution_mode === 'pull' ? loadOf(interval_seconds) : 0;

/** In turn with others that change checks of this account, and with what is recorded of this entity. */
export const changingChecks = <T>({ ports, tenant }: Context, entityId: string, work: () => Promise<T>): Promise<T> =>
  oneAtATime(ports.table, `${tenant} checks`, () => oneAtATime(ports.table, entityId, work));

/**
 * Adds to the writes of a change of settings, or of a deletion, those that keep count of the account's checks and of
 * the load of the entity's checks. The same writes when neither changes. Throws LIMIT_EXCEEDED.
 * @param next undefined when the check is deleted
 * @returns undefined when the entity is gone
 */
export async function countedWith(
  context: Context,
  check: CheckItem,
  next: CheckItem | undefined,
  writes: Write[],
): Promise<Write[] | undefined> {
  const { ports, keys, tenant } = context;
  const step = { checks: next ? 0 : -1, load: (next ? loadOfCheck(next) : 0) - loadOfCheck(check) };
  if (step.checks === 0 && step.load === 0) return writes;
  const place = keys.entity(tenant, check.entity_id);
  const [entity, account, count] = await ports.table.getMany<[EntityItem, AccountItem, CheckCountItem]>([
    place,
    keys.account(tenant),
    keys.checkCount(tenant),
  ]);
  if (!entity || !account) return undefined;
  const isEntity = (write: Write) => 'put' in write && write.put.pk === place.pk && write.put.sk === place.sk;
  const own = writes.find(isEntity) as { put: EntityItem } | undefined;
  // One that is written anyway is held to the version it was read at; its load is of that version too.
  const base: EntityItem = own ? own.put : { ...entity, v: ports.ids.token() };
  const put: EntityItem = { ...base, check_load: base.check_load + step.load };
  return [
    ...writes.filter((write) => write !== own),
    own ? { ...own, put } : { put, if: { version: entity.v } },
    countChecks(context, count, step, account),
  ];
}
