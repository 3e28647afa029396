export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Epoch ms to the form times go out in: `2026-11-21T05:16:40.123Z`. */
export const iso = (ms: number): string => new Date(ms).toISOString();

/** Clocks of our machines differ by less than this (ms). */
export const CLOCKS_APART_MS = 10_000;

/** A stored time (epoch ms), or 0 when it is more than 10 s ahead of `now`: our clock was stepped back since. */
export const pastOrZero = (noted: number, now: number): number => (noted > now + CLOCKS_APART_MS ? 0 : noted);
