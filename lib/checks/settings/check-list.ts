import type { Context } from '#lib/access/context.ts';
import { isPicky } from '#lib/catalog/entity-filter.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import { entitiesById } from '#lib/catalog/store.ts';
import { type CheckFilter, fitsCheck, mayFit } from '#lib/checks/check-filter.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import type { Page } from '#lib/platform/ports.ts';
import { MOST_WALKED, WALKED_AT_ONCE } from '#lib/platform/table/filtered.ts';
import { checksOf } from './store.ts';

/** A check of a list, and the entity that it is on. */
export type CheckOfEntity = { check: CheckItem; entity: EntityItem };

/** Entities that are read together where every check of theirs is shown. */
const ENTITIES_A_PAGE = 40;
/** Checks that are read together where few of them may fit. */
const CHECKS_AT_ONCE = 2_000;

type Asked = {
  /** The entity, where it is of one alone. */
  only?: EntityItem | undefined;
  wanted?: CheckFilter;
};

/**
 * The checks of the tenant, entity by entity, each in the order of their making. Where some are looked for, it has
 * `enough` after a look at 1,000 entities.
 * @param views what is shown of some checks, in their order
 */
export function checkList<T>(
  context: Context,
  views: (found: CheckOfEntity[]) => Promise<T[]>,
  { only, wanted = {} }: Asked = {},
): Reader<T> {
  const picky = isPicky(wanted);
  let walked = 0;
  return async (after, limit) => {
    const [from, behind] = after?.split(' ') ?? [];
    const page: Page<EntityItem> = only
      ? { items: [only] }
      : // That of a position is read again, as checks of it may remain.
        await entitiesById(context, { from }, picky ? WALKED_AT_ONCE : ENTITIES_A_PAGE);
    const held = page.items.map((entity) => ({ ...entity, checks: candidates(entity, from, behind, wanted) }));
    const taken = upTo(picky ? CHECKS_AT_ONCE : limit, held);
    const entities = new Map(taken.map((entity) => [entity.id, entity]));
    const checks = (await checksOf(context, taken)).map((check) => ({ check, entity: entities.get(check.entity_id)! }));
    const shown = checks.filter(({ check, entity }) => fitsCheck(check, entity, wanted, context.caller));
    const values = await views(shown);
    const found = shown.map(({ check }, i) => ({ at: `${check.entity_id} ${check.id}`, value: values[i]! }));
    walked += taken.length;
    const next = taken.length < page.items.length ? taken.at(-1)!.id : page.next;
    return { found, next: next && `${next} ~`, enough: picky && walked >= MOST_WALKED };
  };
}

/** The checks of an entity behind a position that may fit. */
function candidates(
  { id, checks }: EntityItem,
  from: string | undefined,
  behind: string | undefined,
  wanted: CheckFilter,
): EntityItem['checks'] {
  const all = Object.entries(checks);
  return Object.fromEntries(
    all.filter(([check, state]) => mayFit(state, wanted) && (id !== from || behind === undefined || check > behind)),
  );
}

/** The first of some entities with so many checks together, or one more. */
function upTo(most: number, entities: EntityItem[]): EntityItem[] {
  let count = 0;
  const end = entities.findIndex(({ checks }) => {
    count += Object.keys(checks).length;
    return count >= most;
  });
  return end < 0 ? entities : entities.slice(0, end + 1);
}
