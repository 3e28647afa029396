import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import { mapInTurns } from '#lib/platform/net/turns.ts';
import { queryMerged } from '#lib/platform/table/merge.ts';
import type { Reader } from '#lib/platform/table/paging.ts';
import type { CheckItem } from './check-item.ts';
import { checksOf } from './store.ts';

/** A page never breaks inside an entity, which has at most 90 checks. */
const ENTITIES_A_PAGE = 20;

/** Every check of the tenant, entity by entity, each in the order of their making. */
export const checkList =
  <T>(context: Context, view: (check: CheckItem) => T): Reader<T> =>
  async (after) => {
    const { ports, keys, tenant } = context;
    const [entity, check] = after?.split(' ') ?? [];
    const partitions = keys.buckets.map((bucket) => keys.entities(tenant, bucket));
    // The entity of the position is read again, as checks of it may remain.
    const page = await queryMerged<EntityItem>(ports.table, partitions, {
      limit: ENTITIES_A_PAGE,
      from: entity,
    });
    const checks = await checksOf(context, page.items);
    const found = await mapInTurns(
      checks.filter((each) => each.entity_id !== entity || check === undefined || each.id > check),
      (each) => ({ at: `${each.entity_id} ${each.id}`, value: view(each) }),
    );
    return { found, next: page.next === undefined ? undefined : `${page.next} ~` };
  };
