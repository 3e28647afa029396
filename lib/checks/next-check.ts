import type { Write } from '#lib/platform/ports.ts';
import type { CheckItem } from './check-item.ts';

/**
 * The next version of a check item, and the only way to make one. It drops `silence_mark`, so that a detection of
 * silence under way cannot commit on what it read before this write (docs/ARCHITECTURE.md#the-recording-core). The
 * detection itself sets the mark again.
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
  return next;
}

/** The write of a next version over the one it was made from. */
export const replaceCheck = (old: CheckItem, next: CheckItem): Write => ({ put: next, if: { version: old.v } });
