import type { AccountItem } from '#lib/access/account.ts';
import type { TenantScope } from '#lib/access/context.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Item, Write } from '#lib/platform/ports.ts';

/** Number of checks of an account, and their load. Written by changes of checks, never by a probe. About 100 bytes. */
export type CheckCountItem = Item & { v: string; checks: number; load: number };

/** Change of the count. `load` is in millionths of a probe per minute, so that sums are exact. */
type CheckStep = { checks: number; load: number };

/** Returns the load of a check with an interval in seconds. */
export const loadOf = (intervalSeconds: number): number => Math.round(60_000_000 / intervalSeconds);

/** Changes the check count. Throws LIMIT_EXCEEDED if an increase, which needs `account`, exceeds the plan. */
export function countChecks(
  { ports, keys, tenant }: TenantScope,
  before: CheckCountItem | undefined,
  step: CheckStep,
  account?: Pick<AccountItem, 'check_limit' | 'checks_per_minute_limit'>,
): Write {
  const checks = (before?.checks ?? 0) + step.checks;
  const load = (before?.load ?? 0) + step.load;
  if (account && step.checks > 0 && checks > account.check_limit) {
    throw new AppError(
      'LIMIT_EXCEEDED',
      `The account has ${account.check_limit} checks, the maximum of the plan (check_limit). Delete one or ask for` +
        ' more.',
    );
  }
  if (account && step.load > 0 && load > account.checks_per_minute_limit * 1_000_000) {
    throw new AppError(
      'LIMIT_EXCEEDED',
      `The checks of this account would run ${Math.ceil(load / 1_000_000)} times per minute; the plan allows ` +
        `${account.checks_per_minute_limit} (checks_per_minute_limit). Give checks a longer interval, disable some, or ask ` +
        'for more.',
    );
  }
  const put: CheckCountItem = { ...keys.checkCount(tenant), v: ports.ids.token(), checks, load };
  return { put, if: before ? { version: before.v } : 'absent' };
}
