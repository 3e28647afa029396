import { type CellItem, hasRoom } from '#lib/checks/settings/cells.ts';
import { checksOfCell } from '#lib/checks/settings/store.ts';
import type { Env } from '#lib/env.ts';
import { under } from '#lib/keys.ts';
import type { Write } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import type { ProbeEntry } from '#lib/schedule/entries.ts';
import type { CheckItem } from './check-item.ts';

/**
 * Counts a cell anew after checks have left it or an interval of it: how many places are taken, and which intervals the
 * schedule still needs; one without checks goes. Joining writes the cell or the entry, so that what joins meanwhile is
 * not lost. Repeatable.
 */
export async function settleCell(
  { ports, keys }: Env<'table' | 'clock' | 'ids'>,
  { tenant_id, cell }: { tenant_id: string; cell: string },
): Promise<void> {
  await untilDone(ports, async () => {
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
      const wanted = checks.filter((check) => isProbed(check, entry.interval_seconds)).length;
      const put: ProbeEntry = { ...entry, v: ports.ids.token(), checks: wanted };
      const isRead = { version: entry.v };
      if (wanted === 0) writes.push({ delete: { pk: entry.pk, sk: entry.sk }, if: isRead });
      else if (wanted !== entry.checks) writes.push({ put, if: isRead });
    }
    return writes.length === 0 || (await commit(ports, writes)).ok ? true : AGAIN;
  });
}

/** Whether a check is probed at this interval. */
export const isProbed = (check: CheckItem, intervalSeconds: number): boolean =>
  check.enabled && check.execution_mode === 'pull' && check.interval_seconds === intervalSeconds;
