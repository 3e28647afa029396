import type { Item, Query, Table } from '#lib/platform/ports.ts';

/**
 * Several partitions as one list, in the order of their sort keys: how a list that is spread over buckets is read.
 * `next` is the sort key to go on behind; it is there whenever more may follow.
 * @param query `each`: how many items of a partition are read, where not all of them need be in one
 */
export async function queryMerged<T extends Item>(
  table: Table,
  partitions: string[],
  { each, ...query }: Omit<Query, 'partition' | 'limit'> & { limit: number; each?: number },
): Promise<{ items: T[]; next?: string }> {
  const pages = await Promise.all(
    partitions.map((partition) => table.query<T>({ ...query, limit: each ?? query.limit, partition })),
  );
  const behind = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0) * (query.descending ? -1 : 1);

  // What a page left unread lies behind its last item: nothing behind the nearest of those may be shown yet.
  const ends = pages.flatMap((page) => (page.next === undefined ? [] : [page.next])).sort(behind);
  const known = pages
    .flatMap((page) => page.items)
    .filter((item) => ends[0] === undefined || behind(item.sk, ends[0]) <= 0)
    .sort((a, b) => behind(a.sk, b.sk));
  const items = known.slice(0, query.limit);
  if (ends[0] === undefined && known.length === items.length) return { items };
  return { items, next: items.at(-1)?.sk ?? ends[0]! };
}
