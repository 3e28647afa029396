import type { TenantEnv } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { CHECKS, cellOf, under } from '#lib/keys.ts';
import { notFound } from '#lib/platform/errors.ts';
import { isId } from '#lib/platform/ids.ts';
import { allOf } from '#lib/platform/table/pages.ts';

// Reads of checks are strongly consistent. All checks of a tenant are found through its entities.

/** Returns the check with an id from a path; a check of another tenant counts as missing. Throws NOT_FOUND. */
export async function requireCheck({ ports, keys, tenant }: TenantEnv, id: string): Promise<CheckItem> {
  const check = isId('chk', id) ? await ports.table.get<CheckItem>(keys.check(tenant, id)) : undefined;
  if (!check) throw notFound(`Check ${id}`);
  return check;
}

export const checksOfCell = (
  { ports, keys, tenant }: Env<'table'> & { tenant: string },
  cell: string,
): Promise<CheckItem[]> => allOf<CheckItem>(ports.table, { partition: keys.ofCell(tenant, cell), ...under(CHECKS) });

/** Minimum number of checks for reading the whole cell: a get takes a read unit per check, a query one per seven. */
const WHOLE_CELL_FROM = 10;

/** Returns the checks of entities, in order of creation within each. */
export async function checksOf(
  context: TenantEnv,
  entities: readonly Pick<EntityItem, 'checks'>[],
): Promise<CheckItem[]> {
  const ids = entities.flatMap((entity) => Object.keys(entity.checks).sort());
  const found = await checksById(context, ids);
  return ids.map((id) => found.get(id)).filter((check) => check !== undefined);
}

/** Returns the checks with the ids of a request, in the same order. Throws NOT_FOUND if one is missing. */
export async function requireChecks(context: TenantEnv, ids: readonly string[]): Promise<CheckItem[]> {
  const found = await checksById(
    context,
    ids.filter((id) => isId('chk', id)),
  );
  return ids.map((id) => {
    const check = found.get(id);
    if (!check) throw notFound(`Check ${id}`);
    return check;
  });
}

async function checksById(context: TenantEnv, ids: readonly string[]): Promise<Map<string, CheckItem>> {
  const { ports, keys, tenant } = context;
  const cells = [...Map.groupBy(ids, cellOf)];
  const few = cells.flatMap(([, ids]) => (ids.length < WHOLE_CELL_FROM ? ids : []));
  const many = cells.flatMap(([cell, ids]) => (ids.length < WHOLE_CELL_FROM ? [] : [cell]));
  const read = await Promise.all([
    ports.table.getMany<CheckItem>(few.map((id) => keys.check(tenant, id))),
    ...many.map((cell) => checksOfCell(context, cell)),
  ]);
  const found = new Map<string, CheckItem>();
  for (const check of read.flat()) if (check) found.set(check.id, check);
  return found;
}
