import type { CheckItem } from '#lib/checks/check-item.ts';
import { after, type Keys, RESULTS, stamp } from '#lib/keys.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { orderOf, type ResultItem } from './result-item.ts';

/** A push older than the newest received by more than this (ms) is history only (decisions.md, Order of judging). */
export const staleAfter = (check: Pick<CheckItem, 'interval_seconds'>): number =>
  Math.max(60_000, check.interval_seconds * 1000);

/**
 * The newest push that was judged, by what it is ordered by and by arrival; undefined before the first. What the item
 * remembers, and the quiet pushes since then, which wrote only their result. A quiet push is never ordered more than
 * `staleAfter` before its arrival, so the look back is short: most often one item.
 */
export async function newestReceived(
  ports: Ports,
  keys: Keys,
  check: CheckItem,
): Promise<{ at: number; received_at: number } | undefined> {
  if (!check.last_received || check.silence_at !== undefined) return check.last_received;
  const newest = { ...check.last_received };
  const reach = staleAfter(check);
  let cursor: string | undefined;
  do {
    const page = await ports.table.query<ResultItem>({
      partition: keys.ofCheck(check.tenant_id, check.id),
      from: `${RESULTS}${stamp(newest.received_at - reach)}`,
      to: after(RESULTS),
      descending: true,
      limit: 20,
      ...(cursor !== undefined && { after: cursor }),
    });
    for (const item of page.items) {
      const at = orderOf(item);
      if (at + reach <= newest.received_at) return newest;
      if (item.received_at === undefined || item.history) continue;
      newest.at = Math.max(newest.at, at);
      newest.received_at = Math.max(newest.received_at, item.received_at);
    }
    cursor = page.next;
  } while (cursor !== undefined);
  return newest;
}
