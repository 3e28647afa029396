import { entryOf, type PackedEntry, type PackItem } from '#lib/results/pack.ts';

/** Returns all entries of a pack. */
export const entriesOf = (pack: PackItem): PackedEntry[] =>
  pack.runs.split(' ').map((word) => entryOf(pack, Number(word.slice(0, word.indexOf(','))))!);
