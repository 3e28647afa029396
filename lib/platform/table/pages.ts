import type { Item, Key, Query, Table } from '#lib/platform/ports.ts';

type Reads = Pick<Table, 'query'>;

/**
 * Reads a query to its end, page by page: a page has `limit` items, or 1 MB of them. The next page is read when the
 * consumer asks for it, so one that breaks off reads no more. For work that goes by pages, and for hot paths: unlike
 * `itemsOf` it waits once a page, not once an item.
 */
export async function* pagesOf<T extends Item = Item>(table: Reads, query: Query): AsyncGenerator<T[], void> {
  let after = query.after;
  do {
    const page = await table.query<T>({ ...query, after });
    yield page.items;
    after = page.next;
  } while (after !== undefined);
}

/** Reads a query item by item, page by page behind the scenes; stops reading when the consumer breaks off. */
export async function* itemsOf<T extends Item = Item>(table: Reads, query: Query): AsyncGenerator<T, void> {
  for await (const page of pagesOf<T>(table, query)) {
    // `yield*` would take three times as long.
    for (const item of page) yield item;
  }
}

/** Everything that a query finds; for lists that are never large. */
export async function allOf<T extends Item = Item>(table: Reads, query: Query): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pagesOf<T>(table, query)) all.push(...page);
  return all;
}

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

/** What one call looks at of a list, however little of it fits. */
export const MAX_SCANNED = 1_000;
export const WALKED_AT_ONCE = 200;

type Page<T> = { items: T[]; next?: string | undefined };

/**
 * Reads what fits of a list that has no order by it, up to `limit` items at a time. After a look at 1,000 items it has
 * `enough`: the page ends there, and the next one goes on.
 * @param read reads on behind a sort key
 */
export function filtered<T extends { sk: string }>(
  read: (after: string | undefined, limit: number) => Promise<Page<T>>,
  fits: (item: T) => boolean,
): (after: string | undefined, limit: number) => Promise<Page<T> & { enough: boolean }> {
  let walked = 0;
  return async (after, limit) => {
    const page = await read(after, WALKED_AT_ONCE);
    walked += page.items.length;
    const fitting = page.items.filter(fits);
    const items = fitting.slice(0, limit);
    const next = items.length < fitting.length ? items.at(-1)!.sk : page.next;
    return { items, next, enough: walked >= MAX_SCANNED };
  };
}

/** Reads items of several types; a key that is undefined is not read. */
export async function readSome<T extends Item[]>(
  table: Pick<Table, 'getMany'>,
  keys: { [I in keyof T]: Key | undefined },
): Promise<{ [I in keyof T]: T[I] | undefined }> {
  const items = (await table.getMany(keys.filter((key) => key !== undefined))).values();
  return keys.map((key) => key && items.next().value) as { [I in keyof T]: T[I] | undefined };
}
