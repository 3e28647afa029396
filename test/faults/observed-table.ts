import { openTable } from '#infra/local/store/sqlite-table.ts';
import type { Item, Key, Table } from '#lib/platform/ports.ts';
import { keyOf } from '#lib/platform/table/item-limits.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { type Change, checkIdOf, keyText } from '#test/oracle/inside.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import type { Observations } from './observations.ts';
import { currentRun } from './run-context.ts';

export type ObservedTable = Table & {
  /** Rejects all later writes, like a full disk; or accepts them again. */
  refuseWrites(refuse: boolean): void;
  close(): void;
};

/**
 * Opens the real SQLite table in memory, and records its commits in order.
 * @param onInsert called for each new item
 */
export function observedTable(clock: VirtualClock, seen: Observations, onInsert: (item: Item) => void): ObservedTable {
  const table = openTable({
    file: ':memory:',
    now: clock.now,
    schedule: (flush) => queueMicrotask(flush),
    // Without real time, so that a seed has one history.
    elapsed: () => 0,
    inTurn: (_from, begin) => begin(),
  });

  function note(writes: { key: Key; after: Item | undefined }[]): void {
    const changes: Change[] = writes.map(({ key, after }) => ({ key, before: seen.table.get(keyText(key)), after }));
    seen.commits.push({ n: seen.next(), at: clock.now(), changes, run: currentRun() });
    for (const { key, before, after } of changes) {
      if (after) seen.table.set(keyText(key), after);
      else seen.table.delete(keyText(key));
      if (after && !before) onInsert(after);
      const { received_at } = (after ?? {}) as Partial<ResultItem>;
      if (received_at !== undefined) seen.newestPush.set(checkIdOf(key), received_at);
    }
  }

  return {
    get: table.get,
    getMany: table.getMany,
    query: table.query,
    putMany: async (items) => {
      await table.putMany(items);
      note(items.map((item) => ({ key: item, after: structuredClone(item) })));
    },
    transact: async (writes) => {
      const outcome = await table.transact(writes);
      if (outcome.ok) {
        note(
          writes.flatMap((write) => {
            if ('check' in write) return [];
            return [{ key: keyOf(write), after: 'put' in write ? structuredClone(write.put) : undefined }];
          }),
        );
      }
      return outcome;
    },
    refuseWrites: (refuse) => table.store.db.exec(`PRAGMA query_only = ${refuse ? 1 : 0}`),
    close: () => table.store.close(),
  };
}
