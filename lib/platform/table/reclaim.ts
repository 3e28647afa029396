import { chunks } from '#lib/platform/plain-data.ts';
import type { Clock, Ids, Key, Query, Table } from '#lib/platform/ports.ts';
import { allOf } from './pages.ts';
import { commit, RETRY, retryOnConflict } from './retry.ts';

/**
 * How long after a deletion was begun the background looks for what it left (ms). Longer than any deletion takes: the
 * message goes out first, so that a crash loses nothing, and is dropped when what it is about is still there. That of a
 * check alone waits until its closing note was made.
 */
export const RECLAIM_AFTER_MS = 60_000;
export const RECLAIM_CHECK_AFTER_MS = 10 * 60_000;

/** Deletes in one transaction, which has at most 100 writes. */
const CHUNK = 50;

/** The keys of a partition, or of a range in it; for partitions that are never large. */
export async function keysUnder(
  { table }: { table: Table },
  partition: string,
  range: Pick<Query, 'from' | 'to'> = {},
): Promise<Key[]> {
  return (await allOf(table, { partition, ...range })).map(({ pk, sk }) => ({ pk, sk }));
}

/** Deletes what nobody sees any more, a chunk at a time. Repeatable. */
export async function deleteAll(ports: { table: Table; clock: Clock; ids: Ids }, gone: Key[]): Promise<void> {
  for (const keys of chunks(gone, CHUNK)) {
    const writes = keys.map((key) => ({ delete: key }));
    await retryOnConflict(ports, async () => ((await commit(ports, writes)).ok ? true : RETRY));
  }
}
