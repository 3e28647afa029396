import { AppError } from '#lib/platform/errors.ts';
import type { Ids, Item, Key, Write } from '#lib/platform/ports.ts';

/** Number of items of one kind in an account. Its version guards the limit. */
export type CountItem = Item & { v: string; count: number };

/** Returns the write that counts an item (+1) or its deletion (-1). `kind`: plural, `badges`. Throws LIMIT_EXCEEDED. */
export function countWrite(
  { ids }: { ids: Ids },
  key: Key,
  before: CountItem | undefined,
  step: 1 | -1,
  { max, kind }: { max: number; kind: string },
): Write {
  const count = (before?.count ?? 0) + step;
  if (step > 0 && count > max) {
    throw new AppError('LIMIT_EXCEEDED', `The account has ${max} ${kind}, the maximum. Delete one.`);
  }
  const put: CountItem = { ...key, v: ids.token(), count };
  return { put, if: before ? { version: before.v } : 'absent' };
}
