import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { type LoopTurns, loopTurns } from '#infra/local/loop-turns.ts';
import { streams } from '#infra/topology.ts';
import type { Item, Key, Page, Query, Table, Write, WriteOutcome } from '#lib/platform/ports.ts';
import { checkTransaction, isKey, isPartition, itemText, keyOf, PAGE_BYTES } from '#lib/platform/table/item-limits.ts';
import { type Durability, openStore, type Store, type StoreOptions } from './store.ts';

export type SqliteTable = Table & {
  /** @param durability `soon` for an idempotent function (store.ts) */
  transact(writes: Write[], durability?: Durability): Promise<WriteOutcome>;
  /** Deletes up to `most` items that expired before `now` (epoch seconds). @returns their number */
  sweep(now: number, most?: number): Promise<number>;
  store: Store;
};

type TableOptions = {
  /** Prefixes of sort keys whose new items become changes. Default: the prefixes of the streams in the topology. */
  inserted?: readonly string[];
  onInserted?: () => void;
  /** Current time (epoch ms), for the times of changes. */
  now?: () => number;
  /** Turns of the event loop in which a caller reads, and continues with the result. */
  inTurn?: LoopTurns;
};

/** Opens a table with its own file, or in memory: `openTable({ file: ':memory:' })`. */
export const openTable = (options: StoreOptions & TableOptions): SqliteTable => makeTable(openStore(options), options);

const CHUNK = 250;

/** Creates the table port on SQLite, one row per item. */
export function makeTable(store: Store, options: TableOptions = {}): SqliteTable {
  const prefixes = options.inserted ?? [...new Set(streams.flatMap((stream) => stream.sk_prefixes))];
  const now = options.now ?? Date.now;
  const inTurn = options.inTurn ?? loopTurns();
  /** Waits for a turn of the tenant of a partition. */
  const turn = (pk: string) => new Promise<void>((begin) => inTurn(pk.split('#', 2).join('#'), begin));
  const { db } = store;
  const prepare = (sql: string): StatementSync => {
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  const select = prepare('SELECT body FROM items WHERE pk = ? AND sk = ?');
  const selectVersion = prepare('SELECT v FROM items WHERE pk = ? AND sk = ?');
  const upsert = prepare(
    `INSERT INTO items (pk, sk, v, expires_at, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT (pk, sk)
     DO UPDATE SET v = excluded.v, expires_at = excluded.expires_at, body = excluded.body`,
  );
  const remove = prepare('DELETE FROM items WHERE pk = ? AND sk = ?');
  const addChange = prepare('INSERT INTO changes (sk, at, image) VALUES (?, ?, ?)');
  const expired = prepare('SELECT pk, sk FROM items WHERE expires_at < ? ORDER BY expires_at LIMIT ?');
  const statements = new Map<string, StatementSync>();

  const row = (statement: StatementSync, key: Key) => statement.get(key.pk, key.sk) as unknown as [string] | undefined;

  function read<T extends Item>(key: Key): T | undefined {
    const found = row(select, key);
    return found && (JSON.parse(found[0]) as T);
  }

  /** Writes an item. @returns whether a change was added to the change stream */
  function put(item: Item, text: string, isNew?: boolean): boolean {
    const watched = prefixes.some((prefix) => item.sk.startsWith(prefix));
    const inserted = watched && (isNew ?? row(selectVersion, item) === undefined);
    upsert.run(item.pk, item.sk, item.v ?? null, item.expires_at ?? null, text);
    if (inserted) addChange.run(item.sk, now(), text);
    return inserted;
  }

  function holds(write: Write): boolean {
    if (write.if === undefined) return true;
    const found = row(selectVersion, keyOf(write));
    return write.if === 'absent' ? found === undefined : found !== undefined && found[0] === write.if.version;
  }

  function apply(writes: Write[], texts: (string | undefined)[]): { outcome: WriteOutcome; inserted: boolean } {
    const failed = writes.flatMap((write, i) => (holds(write) ? [] : [i]));
    if (failed.length > 0) {
      const present = writes.map((write, i) => (failed.includes(i) ? read(keyOf(write)) : undefined));
      return { outcome: { ok: false, failed, present, conflict: false }, inserted: false };
    }
    let inserted = false;
    for (const [i, write] of writes.entries()) {
      if ('put' in write) inserted = put(write.put, texts[i]!, write.if === 'absent' || undefined) || inserted;
      else if ('delete' in write) remove.run(write.delete.pk, write.delete.sk);
    }
    return { outcome: { ok: true }, inserted };
  }

  function statementOf(sql: string): StatementSync {
    const known = statements.get(sql) ?? prepare(sql);
    statements.set(sql, known);
    return known;
  }

  return {
    store,
    get: async <T extends Item>(key: Key) => {
      await turn(key.pk);
      return isKey(key) ? store.read(() => read<T>(key)) : undefined;
    },
    getMany: async <T extends Item>(keys: Key[]) => {
      const found: (T | undefined)[] = [];
      for (const key of keys) {
        await turn(key.pk);
        found.push(isKey(key) ? store.read(() => read<T>(key)) : undefined);
      }
      return found;
    },
    query: async <T extends Item>(query: Query): Promise<Page<T>> => {
      if (query.limit !== undefined && !(Number.isInteger(query.limit) && query.limit >= 1)) {
        throw new Error(`The limit of a page must be at least 1; it was ${query.limit}.`);
      }
      if (!isPartition(query.partition)) return { items: [] };
      const { sql, values } = rangeOf(query);
      await turn(query.partition);
      return store.read(() => readPage<T>(statementOf(sql), values, query.limit ?? Number.POSITIVE_INFINITY));
    },
    putMany: async (items) => {
      const texts = items.map(itemText);
      for (let from = 0; from < items.length; from += CHUNK) {
        const chunk = items.slice(from, from + CHUNK);
        const inserted = await store.write(() => {
          let some = false;
          for (const [i, item] of chunk.entries()) some = put(item, texts[from + i]!) || some;
          return some;
        });
        if (inserted) options.onInserted?.();
      }
    },
    transact: async (writes, durability?: Durability) => {
      const texts = writes.map((write) => ('put' in write ? itemText(write.put) : undefined));
      checkTransaction(writes, texts);
      const { outcome, inserted } = await store.write(() => apply(writes, texts), durability);
      if (inserted) options.onInserted?.();
      return outcome;
    },
    sweep: (nowSeconds, most = 100) =>
      store.write(() => {
        const keys = expired.all(Math.floor(nowSeconds), most) as unknown as [string, string][];
        for (const [pk, sk] of keys) remove.run(pk, sk);
        return keys.length;
      }),
  };
}

/** Returns statement and values of a query. `after` replaces a bound: with both, SQLite would scan excluded rows. */
function rangeOf({ partition, from = '', to = LAST, after, descending }: Query): {
  sql: string;
  values: SQLInputValue[];
} {
  const isAfterBound = after !== undefined && (descending ? after <= to : after >= from);
  const low = isAfterBound && !descending ? { op: '>', at: after } : { op: '>=', at: from };
  const high = isAfterBound && descending ? { op: '<', at: after } : { op: '<=', at: to };
  const order = descending ? 'DESC' : 'ASC';
  return {
    sql: `SELECT sk, body FROM items WHERE pk = ? AND sk ${low.op} ? AND sk ${high.op} ? ORDER BY sk ${order}`,
    values: [partition, low.at, high.at],
  };
}

/** Greater than every sort key, because sort keys are printable ASCII. */
const LAST = '\u007f';

function readPage<T extends Item>(statement: StatementSync, values: SQLInputValue[], limit: number): Page<T> {
  const items: T[] = [];
  let bytes = 0;
  for (const [, body] of statement.iterate(...values) as unknown as Iterable<[string, string]>) {
    bytes += body.length;
    if (items.length === limit || (items.length > 0 && bytes > PAGE_BYTES)) {
      return { items, next: items[items.length - 1]!.sk };
    }
    items.push(JSON.parse(body) as T);
  }
  return { items };
}
