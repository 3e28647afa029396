import type { Item, Query, Table } from '#lib/platform/ports.ts';

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
