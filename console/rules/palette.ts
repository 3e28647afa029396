import type { State } from '#console/api/records.ts';
import { severity } from './states.ts';

/** Entry of the palette. */
export type PaletteTarget = { href: string; name: string; kind: string; state?: State };

const MAX_ENTRIES = 12;

/** Returns the entries that contain every word, best match first: start of the name, start of a word, others. */
export function findTargets(places: readonly PaletteTarget[], text: string): PaletteTarget[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (name: string) => {
    const first = words[0] ?? '';
    return name.startsWith(first) ? 0 : name.includes(` ${first}`) ? 1 : 2;
  };
  return places
    .flatMap((place) => {
      const name = place.name.toLowerCase();
      const all = `${name} ${place.kind.toLowerCase()}`;
      return words.every((word) => all.includes(word)) ? [{ place, rank: rank(name) }] : [];
    })
    .sort((a, b) => a.rank - b.rank || trouble(a.place) - trouble(b.place))
    .slice(0, MAX_ENTRIES)
    .map(({ place }) => place);
}

/** Rank of an entry. Pages have no state and come between unhealthy and healthy ones. */
const trouble = ({ state }: PaletteTarget): number => (state ? severity(state) : 2.5);
