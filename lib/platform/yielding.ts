import { setImmediate as nextTurn } from 'node:timers/promises';

const RECORDS_PER_TURN = 50;

/** Maps records in several turns of the event loop: a store can return enough of them at once to delay other work. */
export async function mapYielding<T, R>(records: readonly T[], map: (record: T, i: number) => R): Promise<R[]> {
  const mapped: R[] = [];
  for (const [i, record] of records.entries()) {
    if (i > 0 && i % RECORDS_PER_TURN === 0) await nextTurn();
    mapped.push(map(record, i));
  }
  return mapped;
}

/** Returns a function that adds up work and, whenever the sum reaches `maxWork`, yields to the event loop. */
export function yieldEvery(maxWork: number): (work: number) => Promise<void> | undefined {
  let done = 0;
  return (work) => {
    done += work;
    if (done < maxWork) return undefined;
    done = 0;
    return nextTurn();
  };
}
