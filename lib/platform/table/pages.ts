import type { Item, Query, Table } from '#lib/platform/ports.ts';
import type { Reader } from '#lib/platform/table/paging.ts';

/** What a query finds, a page a read; whoever stops reads no further. */
export async function* pagesOf<T extends Item>(table: Pick<Table, 'query'>, query: Query): AsyncGenerator<T[]> {
  let after: string | undefined;
  do {
    const page = await table.query<T>({ ...query, ...(after !== undefined && { after }) });
    yield page.items;
    after = page.next;
  } while (after !== undefined);
}

/** The same, all of it at once: for what is never large. */
export async function allOf<T extends Item>(table: Pick<Table, 'query'>, query: Query): Promise<T[]> {
  const all: T[] = [];
  for await (const items of pagesOf<T>(table, query)) all.push(...items);
  return all;
}

/** All records of a list that is never large. */
export async function allRead<T>(read: Reader<T>): Promise<T[]> {
  const all: T[] = [];
  let after: string | undefined;
  do {
    const { found, next } = await read(after, 1000);
    all.push(...found.map(({ value }) => value));
    after = next;
  } while (after !== undefined);
  return all;
}
