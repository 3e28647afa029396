import type { Write } from '#lib/platform/ports.ts';
import type { CheckItem } from './check-item.ts';

/** Left out at 0: every check is read once a slot, and nearly all are steady. */
const LEFT_OUT = ['consecutive_warnings', 'consecutive_successes', 'consecutive_oks'] as const;

/**
 * The next version of a check item, and the only way to make one. It leaves out counters that are 0. It drops
 * `silence_mark`, so that a detection of silence under way cannot commit on what it read before this write
 * (docs/ARCHITECTURE.md#the-recording-core). The detection itself sets the mark again.
 */
export function nextCheck(
  check: CheckItem,
  token: string,
  changes: Partial<CheckItem>,
  forget: readonly (keyof CheckItem)[] = [],
): CheckItem {
  const { silence_mark: _gone, ...rest } = check;
  const next: CheckItem = { ...rest, ...changes, v: token };
  for (const member of forget) delete next[member];
  for (const counter of LEFT_OUT) if (next[counter] === 0) delete next[counter];
  return next;
}

/** The write of a next version over the one it was made from. */
export const replaceCheck = (old: CheckItem, next: CheckItem): Write => ({ put: next, if: { version: old.v } });
