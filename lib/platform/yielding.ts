import { setImmediate as othersTurn } from 'node:timers/promises';

/** Records that are worked on before everything else in the process gets its turn. */
const RECORDS_A_TURN = 50;

/** Maps records, a few in each turn of the event loop: a store may answer so many at once that all else would wait. */
export async function mapYielding<T, R>(records: readonly T[], map: (record: T, i: number) => R): Promise<R[]> {
  const mapped: R[] = [];
  for (const [i, record] of records.entries()) {
    if (i > 0 && i % RECORDS_A_TURN === 0) await othersTurn();
    mapped.push(map(record, i));
  }
  return mapped;
}

/** @returns counts what was worked on, and ends the turn of the event loop whenever that comes to `most` */
export function yieldEvery(most: number): (work: number) => Promise<void> | undefined {
  let done = 0;
  return (work) => {
    done += work;
    if (done < most) return undefined;
    done = 0;
    return othersTurn();
  };
}
