import type { State } from '#console/api/records.ts';
import { severityRank } from './states.ts';

/** Entry of the palette. `synonyms`: further words that find it, separated by spaces. */
export type PaletteTarget = { href: string; name: string; kind: string; state?: State; synonyms?: string };

const MAX_ENTRIES = 12;

/** Returns entries with every word, ranked by the place of the first word: start of name, start of word, elsewhere. */
export function findTargets(places: readonly PaletteTarget[], text: string): PaletteTarget[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (name: string, synonyms: string) => {
    const first = words[0] ?? '';
    return name.startsWith(first) ? 0 : `${name} ${synonyms}`.includes(` ${first}`) ? 1 : 2;
  };
  return places
    .flatMap((place) => {
      const name = place.name.toLowerCase();
      const synonyms = place.synonyms ?? '';
      const all = `${name} ${place.kind.toLowerCase()} ${synonyms}`;
      return words.every((word) => all.includes(word)) ? [{ place, rank: rank(name, synonyms) }] : [];
    })
    .sort((a, b) => a.rank - b.rank || stateRank(a.place) - stateRank(b.place))
    .slice(0, MAX_ENTRIES)
    .map(({ place }) => place);
}

/** Rank of an entry by its state. Pages and commands, which have no state, come before entries that are up. */
const stateRank = ({ state }: PaletteTarget): number => (state ? severityRank(state) : 2.5);
