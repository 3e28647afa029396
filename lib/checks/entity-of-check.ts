import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import { entityPath } from '#lib/catalog/entity-path.ts';
import { requireEntities } from '#lib/catalog/store.ts';
import { type CheckRecord, checkRecord } from '#lib/checks/settings/check-record.ts';
import { mustStay } from '#lib/platform/must-stay.ts';
import type { CheckItem } from './check-item.ts';

/** The entity that a check is on. Throws NOT_FOUND when it has just gone, and the check with it. */
async function entityOf(context: Context, { entity_id }: CheckItem): Promise<EntityItem> {
  // What is asked of it never changes.
  const [entity] = await requireEntities(context, [entity_id], { eventual: true });
  return entity!;
}

/** A check as who calls may see it. Costs half a read unit; lists know the entities that they show checks of. */
export const shownCheck = async (context: Context, check: CheckItem): Promise<CheckRecord> =>
  checkRecord(check, await entityOf(context, check), context);

/** Throws VALIDATION_ERROR where a request names another entity, as `service/shop`, than the one that a check is on. */
export async function mustBeOn(context: Context, check: CheckItem, path: string | undefined): Promise<void> {
  if (path !== undefined) mustStay({ entity: entityPath(await entityOf(context, check)) }, { entity: path });
}
