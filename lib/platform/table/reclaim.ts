import { chunks } from '#lib/platform/plain-data.ts';
import type { Clock, Ids, Key, Query, Table } from '#lib/platform/ports.ts';
import { allOf } from './pages.ts';
import { commit, RETRY, retryOnConflict } from './retry.ts';

/**
 * Delays (ms) from the start of a deletion to its cleanup, longer than any deletion takes; for a check, long enough to
 * send its closing alert first. The message for the cleanup is sent before the deletion, so that a crash cannot lose
 * it, and has no effect if the deletion failed.
 */
export const RECLAIM_AFTER_MS = 60_000;
export const RECLAIM_CHECK_AFTER_MS = 10 * 60_000;

/** Number of deletes per transaction, below its limit of 100 writes. */
const CHUNK = 50;

/** Returns the keys of a partition or a range in it; for partitions that are always small. */
export async function keysUnder(
  { table }: { table: Table },
  partition: string,
  range: Pick<Query, 'from' | 'to'> = {},
): Promise<Key[]> {
  return (await allOf(table, { partition, ...range })).map(({ pk, sk }) => ({ pk, sk }));
}

/** Deletes items in chunks, not atomically. Repeatable. */
export async function deleteAll(ports: { table: Table; clock: Clock; ids: Ids }, all: Key[]): Promise<void> {
  for (const keys of chunks(all, CHUNK)) {
    const writes = keys.map((key) => ({ delete: key }));
    await retryOnConflict(ports, async () => ((await commit(ports, writes)).ok ? true : RETRY));
  }
}
