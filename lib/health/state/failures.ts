import type { CheckItem } from '#lib/checks/check-item.ts';

/** So long back (ms) counts what failed lately, and so many of it are kept at most: 13 bytes each. */
const LATELY_MS = 86_400_000;
const MOST = 20;

/** How often a check went down; of 20 it may be more. */
export type Lately = { failures: number; within_ms: number };

/** Pure: what alerting remembers with one more change to down at `at` (epoch ms). */
export const withFailure = (alerts: CheckItem['alerts'], at: number): CheckItem['alerts'] => ({
  ...alerts,
  failed_at: [...(alerts.failed_at ?? []).filter((one) => isLately(one, at)), at].slice(-MOST),
});

/** How often a check went down within a day up to `at` (epoch ms). */
export const failuresLately = ({ failed_at = [] }: CheckItem['alerts'], at: number): Lately => ({
  failures: failed_at.filter((one) => isLately(one, at)).length,
  within_ms: LATELY_MS,
});

const isLately = (one: number, at: number): boolean => one > at - LATELY_MS && one <= at;
