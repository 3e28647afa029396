import type { Scope } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import { ROOMS } from '#lib/keys/prefixes.ts';
import { cellOf, under } from '#lib/keys.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { rollupEntry } from '#lib/schedule/entries.ts';

/** Most checks of a cell: one strong read of some 36 KB gives them all. */
export const CELL_SIZE = 50;

/**
 * A group of at most CELL_SIZE checks of one tenant, which are probed and stored together. `next`: the number of its
 * next check. A number is never given again, as packs and rollups name a check by it. `begun_at`: when it was made,
 * epoch ms. About 150 bytes.
 */
export type CellItem = Item & { v: string; members: number; next: number; begun_at: number };

/** Numbers that an id has room for: a cell that has given them all takes no more checks. */
const MOST_NUMBERS = 32 ** 4;

export const hasRoom = ({ members, next }: CellItem): boolean => members < CELL_SIZE && next < MOST_NUMBERS;

/** A cell of the account that has room, if there is one. */
export async function cellsWithRoom({ ports, keys, tenant }: Scope): Promise<string[]> {
  const { items } = await ports.table.query({ partition: keys.cells(tenant), ...under(ROOMS), limit: 1 });
  return items.map(({ sk }) => sk.slice(ROOMS.length));
}

/** Where a new check goes, and the writes that take the place, for its transaction. */
type Place = { cell: string; number: number; writes: Write[] };

/** Cells of the entity's own checks that are asked for room. */
const OWN_CELLS = 2;

/**
 * A place for a new check of an entity: beside its other checks where there is room, else in a cell of the
 * account that has room, else in a new one. Whoever takes a place writes the cell on its version, so that no place is
 * taken twice.
 */
export async function placeInCell(
  { ports, keys, tenant }: Scope,
  entity: Pick<EntityItem, 'checks'>,
  rooms: readonly string[],
): Promise<Place> {
  const own = [...new Set(Object.keys(entity.checks).sort().map(cellOf))].slice(-OWN_CELLS);
  const known = [...own, ...rooms];
  const items = await ports.table.getMany<CellItem>(known.map((cell) => keys.cell(tenant, cell)));
  const found = items.findIndex((item) => item && hasRoom(item));
  const present = items[found];
  const cell = known[found] ?? ports.ids.token();
  const { members, next, begun_at } = present ?? { members: 0, next: 0, begun_at: ports.clock.now() };
  const put: CellItem = {
    ...keys.cell(tenant, cell),
    v: ports.ids.token(),
    members: members + 1,
    next: next + 1,
    begun_at,
  };
  const room = keys.cellRoom(tenant, cell);
  return {
    cell,
    number: next,
    writes: [
      { put, if: present ? { version: present.v } : 'absent' },
      ...(hasRoom(put) ? [] : [{ delete: room }]),
      ...(present ? [] : [{ put: room }, { put: rollupEntry(keys, { tenant_id: tenant, cell }, put.v, begun_at) }]),
    ],
  };
}
