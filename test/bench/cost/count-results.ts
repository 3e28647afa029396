import type { PackItem } from '#lib/health/history/pack.ts';
import { RESULTS, TRANSITIONS } from '#lib/keys.ts';
import { fromAttributes } from '#lib/platform/aws/dynamodb-item.ts';
import { entriesOf } from '#test/support/pack-entries.ts';
import { type Attributes, itemBytes } from './item-size.ts';

/** AWS adds so many bytes to each item that it stores. */
const OVERHEAD_BYTES = 100;

/** What came into the table: results, alone or in packs, with the bytes that are billed for them, and transitions. */
export type Made = { results: number; result_bytes: number; transitions: number };

/** Counts what new items bring. */
export function makeResultCounter() {
  let made: Made = { results: 0, result_bytes: 0, transitions: 0 };
  const add = (results: number, item: Attributes): void => {
    made.results += results;
    made.result_bytes += itemBytes(item) + OVERHEAD_BYTES;
  };
  return {
    inserted: (item: Attributes): void => {
      const sk = item.sk!.S!;
      if (sk.startsWith(TRANSITIONS)) made.transitions++;
      else if (sk.startsWith(RESULTS)) add(1, item);
      else if (item.runs) add(entriesOf(fromAttributes<PackItem>(item)).filter(({ gap }) => !gap).length, item);
    },
    made: (): Made => ({ ...made }),
    reset: (): void => {
      made = { results: 0, result_bytes: 0, transitions: 0 };
    },
  };
}
