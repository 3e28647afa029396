import { makeIds } from '#lib/platform/ids.ts';
import type { Clock, Ids } from '#lib/platform/ports.ts';

/**
 * The only source of randomness of a run, so that a seed replays it exactly.
 */
export type Random = {
  /** Returns x with 0 ≤ x < 1. */
  next(): number;
  /** Returns an integer, both ends included. */
  int(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  bytes(count: number): Uint8Array;
};

/** Mulberry32. */
export function makeRandom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (list) => list[int(0, list.length - 1)]!,
    bytes: (count) => Uint8Array.from({ length: count }, () => int(0, 255)),
  };
}

/** Returns ids that are the same in each run. */
export const repeatableIds = (clock: Pick<Clock, 'now'>): Ids => makeIds(clock, makeRandom(1).bytes);
