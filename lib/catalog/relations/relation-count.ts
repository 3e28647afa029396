import type { AccountItem } from '#lib/access/account.ts';
import type { Scope } from '#lib/access/context.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Item, Write } from '#lib/platform/ports.ts';

/** How many relations an account has, those of deleted entities too until they are reclaimed. About 100 bytes. */
export type RelationCountItem = Item & { v: string; count: number };

/** The write that moves the count. Throws LIMIT_EXCEEDED when it would go beyond what the plan allows. */
export function countRelations(
  { ports, keys, tenant }: Pick<Scope, 'ports' | 'keys' | 'tenant'>,
  before: RelationCountItem | undefined,
  step: number,
  account?: Pick<AccountItem, 'relation_limit'>,
): Write {
  const count = (before?.count ?? 0) + step;
  if (account && count > account.relation_limit) {
    throw new AppError(
      'LIMIT_EXCEEDED',
      `The plan allows ${account.relation_limit} relations (relation_limit). Delete one or ask for more.`,
    );
  }
  const put: RelationCountItem = { ...keys.relationCount(tenant), v: ports.ids.token(), count };
  return { put, if: before ? { version: before.v } : 'absent' };
}
