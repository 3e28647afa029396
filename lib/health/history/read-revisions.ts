import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { RevisionItem } from '#lib/checks/settings/revisions.ts';
import { REVISIONS } from '#lib/keys/prefixes.ts';
import { under } from '#lib/keys.ts';
import { itemsOf } from '#lib/platform/table/pages.ts';

/** A check has few revisions; most often one of them, the first read, is all it takes. */
const PAGE = 25;

/**
 * The settings revisions of a check that were in force at `from` (epoch ms) or after it, in the order of time. One that
 * was written while our clock ran ahead, as the next one shows, held from that one's beginning on: for no time at all.
 */
export async function revisionsSince(
  { ports, keys, tenant }: TenantEnv,
  check: Pick<CheckItem, 'id'>,
  from: number,
): Promise<RevisionItem[]> {
  const newestFirst: RevisionItem[] = [];
  const revisions = itemsOf<RevisionItem>(ports.table, {
    partition: keys.ofCheck(tenant, check.id),
    ...under(REVISIONS),
    descending: true,
    limit: PAGE,
  });
  let next = Number.POSITIVE_INFINITY;
  for await (const revision of revisions) {
    next = Math.min(next, revision.from);
    newestFirst.push({ ...revision, from: next });
    if (revision.from <= from) break;
  }
  return newestFirst.reverse();
}
