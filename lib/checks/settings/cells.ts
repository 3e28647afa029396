import type { TenantScope } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { CELLS_WITH_ROOM, cellOf, under } from '#lib/keys.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { type ProbeEntry, rollupEntry } from '#lib/schedule/entries.ts';
import { checksOfCell } from './store.ts';

/** Maximum checks of a cell: one strong read of about 36 KB returns all. */
export const CELL_SIZE = 50;

/**
 * A group of at most CELL_SIZE checks of a tenant, probed and stored together. About 150 bytes. `members`: check count.
 * `next`: number of the next check, never reused because packs and rollups refer to it. `begun_at`: creation, epoch ms.
 */
export type CellItem = Item & { v: string; members: number; next: number; begun_at: number };

/** Numbers that fit into an id: a cell that has used all of them takes no more checks. */
const MAX_NUMBERS = 32 ** 4;

const hasRoom = ({ members, next }: CellItem): boolean => members < CELL_SIZE && next < MAX_NUMBERS;

/** Returns a list with the id of a cell of the account that has room; an empty list if no cell has room. */
export async function findCellWithRoom({ ports, keys, tenant }: TenantScope): Promise<string[]> {
  const { items } = await ports.table.query({ partition: keys.cells(tenant), ...under(CELLS_WITH_ROOM), limit: 1 });
  return items.map(({ sk }) => sk.slice(CELLS_WITH_ROOM.length));
}

type CellPlacement = { cell: string; number: number; writes: Write[] };

/** Number of cells of an entity, from the newest, that are tried for a new check. */
const OWN_CELLS = 2;

/** Returns a place in a cell of the entity, the account, or a new one. A version condition keeps the numbers unique. */
export async function placeInCell(
  { ports, keys, tenant }: TenantScope,
  entity: Pick<EntityItem, 'checks'>,
  withRoom: readonly string[],
): Promise<CellPlacement> {
  const ownCells = [...new Set(Object.keys(entity.checks).sort().map(cellOf))].slice(-OWN_CELLS);
  const candidates = [...ownCells, ...withRoom];
  const items = await ports.table.getMany<CellItem>(candidates.map((cell) => keys.cell(tenant, cell)));
  const found = items.findIndex((item) => item && hasRoom(item));
  const present = items[found];
  const cell = candidates[found] ?? ports.ids.token();
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

/** Recounts the checks of a cell and its intervals, and deletes empty ones. Counts concurrent joins. Repeatable. */
export async function recountCell(
  { ports, keys }: Env<'table' | 'clock' | 'ids'>,
  { tenant_id, cell }: { tenant_id: string; cell: string },
): Promise<void> {
  await retryOnConflict(ports, async () => {
    const [item, entries] = await Promise.all([
      ports.table.get<CellItem>(keys.cell(tenant_id, cell)),
      allOf<ProbeEntry>(ports.table, {
        partition: keys.entries(keys.shardOf(cell)),
        ...under(keys.entry('probe', tenant_id, `${cell}#`).sk),
      }),
    ]);
    const checks = await checksOfCell({ ports, keys, tenant: tenant_id }, cell);
    const writes: Write[] = [];
    if (item && checks.length === 0) {
      const others = [keys.cellRoom(tenant_id, cell), keys.entry('rollup', tenant_id, cell)];
      writes.push(
        { delete: keys.cell(tenant_id, cell), if: { version: item.v } },
        ...others.map((key) => ({ delete: key })),
      );
    } else if (item && item.members !== checks.length) {
      const put: CellItem = { ...item, v: ports.ids.token(), members: checks.length };
      writes.push({ put, if: { version: item.v } });
      if (hasRoom(put)) writes.push({ put: keys.cellRoom(tenant_id, cell) });
    }
    for (const entry of entries) {
      const probed = checks.filter((check) => isProbed(check, entry.interval_seconds)).length;
      const put: ProbeEntry = { ...entry, v: ports.ids.token(), checks: probed };
      const unchanged = { version: entry.v };
      if (probed === 0) writes.push({ delete: { pk: entry.pk, sk: entry.sk }, if: unchanged });
      else if (probed !== entry.checks) writes.push({ put, if: unchanged });
    }
    return writes.length === 0 || (await commit(ports, writes)).ok ? true : RETRY;
  });
}

/** Whether a check is probed at this interval. */
export const isProbed = (check: CheckItem, intervalSeconds: number): boolean =>
  check.enabled && check.execution_mode === 'pull' && check.interval_seconds === intervalSeconds;
