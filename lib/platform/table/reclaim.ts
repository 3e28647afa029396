import type { Key, Ports } from '#lib/platform/ports.ts';
import { allOf } from './pages.ts';
import { AGAIN, commit, untilDone } from './retry.ts';

/** Deletes in one transaction, which has at most 100 writes. */
const CHUNK = 50;

/** The keys of a partition, all or those that begin with `prefix`; for partitions that are never large. */
export async function keysUnder({ table }: Pick<Ports, 'table'>, partition: string, prefix?: string): Promise<Key[]> {
  return (await allOf(table, { partition, prefix })).map(({ pk, sk }) => ({ pk, sk }));
}

/** Deletes what nobody sees any more, a chunk at a time. Repeatable. */
export async function deleteAll(ports: Pick<Ports, 'table' | 'clock' | 'ids'>, gone: Key[]): Promise<void> {
  for (let from = 0; from < gone.length; from += CHUNK) {
    const writes = gone.slice(from, from + CHUNK).map((key) => ({ delete: key }));
    await untilDone(ports, async () => ((await commit(ports, writes)).ok ? true : AGAIN));
  }
}
