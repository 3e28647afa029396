export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Converts epoch ms to the format of responses: `2026-11-21T05:16:40.123Z`. */
export const iso = (ms: number): string => new Date(ms).toISOString();

/** Clock difference between two machines (ms) that comparisons of their times tolerate; less than the maximum below. */
export const CLOCK_TOLERANCE_MS = 1_000;

/** Maximum difference between the clocks of the service's machines (ms). */
export const MAX_CLOCK_DIFFERENCE_MS = 10_000;

/** Returns a stored time (epoch ms), or 0 if it is more than 10 s ahead of `now`, because the clock was set back. */
export const pastOrZero = (stored: number, now: number): number =>
  stored > now + MAX_CLOCK_DIFFERENCE_MS ? 0 : stored;
