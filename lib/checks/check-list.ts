import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { Page } from '#lib/platform/ports.ts';
import { queryMerged } from '#lib/platform/table/merge.ts';
import type { Reader } from '#lib/platform/table/paging.ts';
import type { CheckItem } from './check-item.ts';
import { checksOf } from './store.ts';

/** A page never breaks inside an entity, which has at most 90 checks. */
const ENTITIES_A_PAGE = 20;

/**
 * Every check of the tenant, entity by entity, each in the order of their making.
 * @param views what is shown of some checks, in their order
 * @param only the entity, where it is of one alone
 */
export const checkList =
  <T>(context: Context, views: (checks: CheckItem[]) => Promise<T[]>, only?: EntityItem): Reader<T> =>
  async (after) => {
    const [entity, check] = after?.split(' ') ?? [];
    const page: Page<EntityItem> = only ? { items: [only] } : await entitiesFrom(context, entity);
    const checks = await checksOf(context, page.items);
    const shown = checks.filter((each) => each.entity_id !== entity || check === undefined || each.id > check);
    const values = await views(shown);
    const found = shown.map(({ entity_id, id }, i) => ({ at: `${entity_id} ${id}`, value: values[i]! }));
    return { found, next: page.next === undefined ? undefined : `${page.next} ~` };
  };

/** @param from the entity of a position is read again, as checks of it may remain */
const entitiesFrom = ({ ports, keys, tenant }: Context, from: string | undefined) =>
  queryMerged<EntityItem>(
    ports.table,
    keys.buckets.map((bucket) => keys.entities(tenant, bucket)),
    { limit: ENTITIES_A_PAGE, from },
  );
