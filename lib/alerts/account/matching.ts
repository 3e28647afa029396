import type { Context } from '#lib/access/context.ts';
import { type Selector, selects } from '#lib/alerting/policy/selector.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import { entitiesById } from '#lib/catalog/store.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checksOf } from '#lib/checks/settings/store.ts';

/** So many entities are looked at together, and at most. */
const ENTITIES_AT_ONCE = 40;
const MOST_ENTITIES = 2_000;

const NOTHING_FITS = 'No check fits this selection at present. It counts from the moment that one does.';

/**
 * What whoever states a selection is to know: that it fits no check yet, which is no error, as the checks may come
 * later. Null where one fits, or where there are too many to look at.
 */
export async function noticeOf(context: Context, selector: Selector | null): Promise<string | null> {
  if (selector === null) return null;
  if (selector.check_ids || selector.entity_ids) return (await someNamedFits(context, selector)) ? null : NOTHING_FITS;
  let looked = 0;
  let from: string | undefined;
  do {
    const { items, next } = await entitiesById(context, { after: from }, ENTITIES_AT_ONCE);
    if (await someFits(context, items, selector)) return null;
    looked += items.length;
    from = next;
  } while (from !== undefined && looked < MOST_ENTITIES);
  return from === undefined ? NOTHING_FITS : null;
}

/** The same of checks that are named, or whose entities are. */
async function someNamedFits(context: Context, selector: Selector): Promise<boolean> {
  const { ports, keys, tenant } = context;
  const { check_ids, entity_ids } = selector;
  const checks = await ports.table.getMany<CheckItem>((check_ids ?? []).map((id) => keys.check(tenant, id)));
  const ids = check_ids ? checks.flatMap((check) => check?.entity_id ?? []) : (entity_ids ?? []);
  const entities = await ports.table.getMany<EntityItem>([...new Set(ids)].map((id) => keys.entity(tenant, id)));
  return someFits(
    context,
    entities.filter((entity) => entity !== undefined),
    selector,
  );
}

async function someFits(context: Context, entities: EntityItem[], selector: Selector): Promise<boolean> {
  const { labels: _unknown, check_ids: _own, ...ofEntity } = selector;
  const fitting = entities.filter((entity) => selects(ofEntity, { check: { id: '' }, entity }));
  const byId = new Map(fitting.map((entity) => [entity.id, entity]));
  const checks = await checksOf(context, fitting);
  return checks.some((check) => selects(selector, { check, entity: byId.get(check.entity_id)! }));
}
