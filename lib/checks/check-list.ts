import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import { queryMerged } from '#lib/platform/table/merge.ts';
import type { Reader } from '#lib/platform/table/paging.ts';
import type { CheckItem } from './check-item.ts';
import { checksOf } from './store.ts';

/** A page never breaks inside an entity, which has at most 90 checks. */
const ENTITIES_A_PAGE = 20;

/**
 * Every check of the tenant, entity by entity, each in the order of their making.
 * @param views what is shown of some checks, in their order
 */
export const checkList =
  <T>(context: Context, views: (checks: CheckItem[]) => Promise<T[]>): Reader<T> =>
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
    const shown = checks.filter((each) => each.entity_id !== entity || check === undefined || each.id > check);
    const values = await views(shown);
    const found = shown.map(({ entity_id, id }, i) => ({ at: `${entity_id} ${id}`, value: values[i]! }));
    return { found, next: page.next === undefined ? undefined : `${page.next} ~` };
  };
