import type { State } from '#console/api/records.ts';
import { severity } from './states.ts';

/** A place to jump to. */
export type PaletteTarget = { href: string; name: string; kind: string; state?: State };

const MAX_ENTRIES = 12;

/**
 * The places that have every word, best first: those whose name begins with the first word, then those with a word
 * that does, then all others; among equals what is in trouble comes first.
 */
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

/** Pages have no state: they come behind what is down and before what is up. */
const trouble = ({ state }: PaletteTarget): number => (state ? severity(state) : 2.5);
