import type { AccountItem } from '#lib/access/account.ts';
import type { TenantScope } from '#lib/access/context.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Item, Write } from '#lib/platform/ports.ts';

/**
 * The checks of an account: how many, and how often they are run. Written when a check is made, deleted, enabled,
 * disabled or has another interval, and never by a run. About 100 bytes.
 */
export type CheckCountItem = Item & { v: string; checks: number; load: number };

/** By how much a change moves the count. `load` is in millionths of a run a minute, so that sums are exact. */
type CheckStep = { checks: number; load: number };

/** The load of a check that is run each so many seconds. */
export const loadOf = (intervalSeconds: number): number => Math.round(60_000_000 / intervalSeconds);

/**
 * The write that moves the count of an account's checks. Throws LIMIT_EXCEEDED when they would be more, or run more
 * often, than the plan allows; what already is beyond it may always become less.
 * @param account only asked for its limits when the count goes up
 */
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
      `The account has ${account.check_limit} checks, the most that the plan allows (check_limit). Delete one or ask for ` +
        'more.',
    );
  }
  if (account && step.load > 0 && load > account.checks_per_minute_limit * 1_000_000) {
    throw new AppError(
      'LIMIT_EXCEEDED',
      `The checks of this account would be run ${Math.ceil(load / 1_000_000)} times a minute; the plan allows ` +
        `${account.checks_per_minute_limit} (checks_per_minute_limit). Give checks a longer interval, disable some, or ask ` +
        'for more.',
    );
  }
  const put: CheckCountItem = { ...keys.checkCount(tenant), v: ports.ids.token(), checks, load };
  return { put, if: before ? { version: before.v } : 'absent' };
}
