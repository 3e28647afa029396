import type { Item, Key, Query, Table, Write, WriteOutcome } from '#lib/platform/ports.ts';
import { checkTransaction, itemText, keyOf, PAGE_BYTES } from '#lib/platform/table/item-limits.ts';

/** A stored item; frozen, so that readers share it. */
type Row = { item: Item; bytes: number };
/** The rows of a partition, and their sorted sort keys. */
type Partition = { rows: Map<string, Row>; sks: string[] };

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const one of Object.values(Object.freeze(value))) frozen(one);
  return value;
}

/** Returns the number of sorted texts before the given one. */
function placeOf(sks: readonly string[], sk: string): number {
  let [low, high] = [0, sks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sks[middle]! < sk) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The table port on plain objects, for simulations with many millions of requests: a read parses and copies nothing.
 * Changing a returned item throws a TypeError.
 * @param onInsert called for each new item
 */
export function plainTable(onInsert: (item: Item) => void = () => {}): Table & { items(): Item[] } {
  const partitions = new Map<string, Partition>();
  const rowAt = ({ pk, sk }: Key): Row | undefined => partitions.get(pk)?.rows.get(sk);

  function put(item: Item, text: string): void {
    const own = partitions.get(item.pk) ?? { rows: new Map<string, Row>(), sks: [] };
    partitions.set(item.pk, own);
    const isNew = !own.rows.has(item.sk);
    if (isNew) own.sks.splice(placeOf(own.sks, item.sk), 0, item.sk);
    const stored = frozen(JSON.parse(text) as Item);
    own.rows.set(item.sk, { item: stored, bytes: text.length });
    if (isNew) onInsert(stored);
  }

  function remove({ pk, sk }: Key): void {
    const own = partitions.get(pk);
    if (own?.rows.delete(sk)) own.sks.splice(placeOf(own.sks, sk), 1);
  }

  function holds(write: Write): boolean {
    if (write.if === undefined) return true;
    const found = rowAt(keyOf(write))?.item;
    return write.if === 'absent' ? !found : found?.v !== undefined && found.v === write.if.version;
  }

  function page({ partition, from = '', to = LAST, after, descending, limit = Number.POSITIVE_INFINITY }: Query) {
    const own = partitions.get(partition);
    const items: Item[] = [];
    let bytes = 0;
    for (const sk of own ? sksOf(own.sks, { from, to, after, descending }) : []) {
      const row = own!.rows.get(sk)!;
      bytes += row.bytes;
      if (items.length === limit || (items.length > 0 && bytes > PAGE_BYTES)) return { items, next: items.at(-1)!.sk };
      items.push(row.item);
    }
    return { items };
  }

  return {
    items: () => [...partitions.values()].flatMap(({ rows }) => [...rows.values()].map(({ item }) => item)),
    get: async <T extends Item>(key: Key) => rowAt(key)?.item as T | undefined,
    getMany: (async (keys: Key[]) => keys.map((key) => rowAt(key)?.item)) as Table['getMany'],
    query: async <T extends Item>(query: Query) => {
      if (query.limit !== undefined && !(Number.isInteger(query.limit) && query.limit >= 1)) {
        throw new Error(`The limit of a page must be at least 1; it was ${query.limit}.`);
      }
      return page(query) as { items: T[]; next?: string };
    },
    putMany: async (items) => {
      const texts = items.map(itemText);
      for (const [i, item] of items.entries()) put(item, texts[i]!);
    },
    transact: async (writes): Promise<WriteOutcome> => {
      const texts = writes.map((write) => ('put' in write ? itemText(write.put) : undefined));
      checkTransaction(writes, texts);
      const failed = writes.flatMap((write, i) => (holds(write) ? [] : [i]));
      if (failed.length > 0) {
        const present = writes.map((write, i) => (failed.includes(i) ? rowAt(keyOf(write))?.item : undefined));
        return { ok: false, failed, present, conflict: false };
      }
      for (const [i, write] of writes.entries()) {
        if ('put' in write) put(write.put, texts[i]!);
        else if ('delete' in write) remove(write.delete);
      }
      return { ok: true };
    },
  };
}

/** Greater than every sort key (printable ASCII). */
const LAST = '\u007f';

/** Yields the sort keys within the bounds of a query, in its order. */
function* sksOf(
  sks: readonly string[],
  { from, to, after, descending }: { from: string; to: string } & Pick<Query, 'after' | 'descending'>,
): Generator<string> {
  const isWithin = (sk: string) =>
    sk >= from && sk <= to && (after === undefined || (descending ? sk < after : sk > after));
  const step = descending ? -1 : 1;
  const begin = descending
    ? placeOf(sks, after !== undefined && after < to ? after : `${to}\0`) - 1
    : placeOf(sks, after !== undefined && after > from ? after : from);
  for (let i = begin; i >= 0 && i < sks.length; i += step) {
    const sk = sks[i]!;
    if (descending ? sk < from : sk > to) return;
    if (isWithin(sk)) yield sk;
  }
}
