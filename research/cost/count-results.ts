import { unmarshall } from '@aws-sdk/util-dynamodb';
import { RESULTS, ROLLUPS, TRANSITIONS } from '#lib/keys.ts';
import type { PackItem } from '#lib/results/pack.ts';
import { type Attributes, itemBytes } from '#test/support/item-size.ts';
import { entriesOf } from '#test/support/pack-entries.ts';

/** Bytes that AWS adds to each stored item. */
const OVERHEAD_BYTES = 100;

/** Counts and billed bytes of new items: results, single or in packs; rollups, bytes only; transitions, count only. */
export type NewItemCounts = { results: number; result_bytes: number; rollup_bytes: number; transitions: number };

const NONE: NewItemCounts = { results: 0, result_bytes: 0, rollup_bytes: 0, transitions: 0 };

/** Creates a counter of new items. */
export function makeResultCounter() {
  let made = { ...NONE };
  const billed = (item: Attributes): number => itemBytes(item) + OVERHEAD_BYTES;
  const add = (results: number, item: Attributes): void => {
    made.results += results;
    made.result_bytes += billed(item);
  };
  return {
    inserted: (item: Attributes): void => {
      const sk = item.sk!.S!;
      if (sk.startsWith(TRANSITIONS)) made.transitions++;
      else if (sk.startsWith(ROLLUPS.hour) || sk.startsWith('HL#')) made.rollup_bytes += billed(item);
      else if (sk.startsWith(RESULTS)) add(1, item);
      else if (item.runs) add(entriesOf(unmarshall(item) as PackItem).filter(({ gap }) => !gap).length, item);
    },
    made: (): NewItemCounts => ({ ...made }),
    reset: (): void => {
      made = { ...NONE };
    },
  };
}
