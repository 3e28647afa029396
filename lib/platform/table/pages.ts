import type { Item, Key, Query, Table } from '#lib/platform/ports.ts';

type Reads = Pick<Table, 'query'>;

/** Reads pages of `limit` items or 1 MB on demand. Awaits once per page, unlike `itemsOf`: for hot paths. */
export async function* pagesOf<T extends Item = Item>(table: Reads, query: Query): AsyncGenerator<T[], void> {
  let after = query.after;
  do {
    const page = await table.query<T>({ ...query, after });
    yield page.items;
    after = page.next;
  } while (after !== undefined);
}

export async function* itemsOf<T extends Item = Item>(table: Reads, query: Query): AsyncGenerator<T, void> {
  for await (const page of pagesOf<T>(table, query)) {
    // `yield*` takes three times as long.
    for (const item of page) yield item;
  }
}

/** Reads all items of a query; for lists that are always small. */
export async function allOf<T extends Item = Item>(table: Reads, query: Query): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pagesOf<T>(table, query)) all.push(...page);
  return all;
}

/**
 * Merges partitions (buckets of a list) by sort key. `next`: the sort key to continue after if more items may follow.
 * @param query `each`: number of items to read per partition, default `limit`; with fewer, a page can be shorter
 */
export async function queryMerged<T extends Item>(
  table: Table,
  partitions: string[],
  { each, ...query }: Omit<Query, 'partition' | 'limit'> & { limit: number; each?: number },
): Promise<{ items: T[]; next?: string }> {
  const pages = await Promise.all(
    partitions.map((partition) => table.query<T>({ ...query, limit: each ?? query.limit, partition })),
  );
  const compareKeys = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0) * (query.descending ? -1 : 1);

  // Each page is complete only up to its last item, so items after the first of these ends are not returned yet.
  const ends = pages.flatMap((page) => (page.next === undefined ? [] : [page.next])).sort(compareKeys);
  const known = pages
    .flatMap((page) => page.items)
    .filter((item) => ends[0] === undefined || compareKeys(item.sk, ends[0]) <= 0)
    .sort((a, b) => compareKeys(a.sk, b.sk));
  const items = known.slice(0, query.limit);
  if (ends[0] === undefined && known.length === items.length) return { items };
  return { items, next: items.at(-1)?.sk ?? ends[0]! };
}

/** Maximum number of items that one request scans, regardless of matches. */
export const MAX_SCANNED = 1_000;
export const SCANNED_AT_ONCE = 200;

/** `scanned`: number of items read. Default: number of `items`. */
type Page<T> = { items: T[]; next?: string | undefined; scanned?: number };

/**
 * Returns a reader that filters a list for which no index exists, up to `limit` items at a time. After 1,000 scanned
 * items it sets `enough`: the page ends, and the next page continues.
 * @param read reads the unfiltered items after a sort key
 */
export function filtered<T extends { sk: string }>(
  read: (after: string | undefined, limit: number) => Promise<Page<T>>,
  matches: (item: T) => boolean,
): (after: string | undefined, limit: number) => Promise<Page<T> & { enough: boolean }> {
  let scanned = 0;
  return async (after, limit) => {
    const page = await read(after, SCANNED_AT_ONCE);
    scanned += page.scanned ?? page.items.length;
    const matching = page.items.filter(matches);
    const items = matching.slice(0, limit);
    const next = items.length < matching.length ? items.at(-1)!.sk : page.next;
    return { items, next, enough: scanned >= MAX_SCANNED };
  };
}

/** Reads items of several types; the item of an undefined key is undefined. */
export async function readDefined<T extends Item[]>(
  table: Pick<Table, 'getMany'>,
  keys: { [I in keyof T]: Key | undefined },
): Promise<{ [I in keyof T]: T[I] | undefined }> {
  const items = (await table.getMany(keys.filter((key) => key !== undefined))).values();
  return keys.map((key) => key && items.next().value) as { [I in keyof T]: T[I] | undefined };
}
