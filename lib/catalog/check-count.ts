import type { AccountItem } from '#lib/access/account.ts';
import type { TenantScope } from '#lib/access/context.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Item, Write } from '#lib/platform/ports.ts';

/** Number of checks of an account, and their load. Written by changes of checks, never by a probe. About 120 bytes. */
export type CheckCountItem = Item & { v: string; checks: number; load: CheckLoad };

/** Load of checks: probes and evaluated expressions per minute, each in millionths, so that sums are exact. */
export type CheckLoad = { probes: number; expressions: number };

export const NO_LOAD: CheckLoad = { probes: 0, expressions: 0 };

export const addLoads = (a: CheckLoad, b: CheckLoad): CheckLoad => ({
  probes: a.probes + b.probes,
  expressions: a.expressions + b.expressions,
});

export const negated = ({ probes, expressions }: CheckLoad): CheckLoad => ({
  probes: -probes,
  expressions: -expressions,
});

/** Returns the number of runs per minute at an interval, in millionths. */
export const millionthsPerMinute = (intervalSeconds: number): number => Math.round(60_000_000 / intervalSeconds);

type CheckCountChange = { checks: number; load: CheckLoad };

/**
 * Returns the write that changes the check count. Throws LIMIT_EXCEEDED if an increase exceeds a limit.
 * @param account required for an increase
 */
export function checkCountWrite(
  { ports, keys, tenant }: TenantScope,
  before: CheckCountItem | undefined,
  change: CheckCountChange,
  account?: Pick<AccountItem, 'check_limit' | 'checks_per_minute_limit' | 'expressions_per_minute_limit'>,
): Write {
  const checks = (before?.checks ?? 0) + change.checks;
  const load = addLoads(before?.load ?? NO_LOAD, change.load);
  if (account && change.checks > 0 && checks > account.check_limit) {
    throw new AppError(
      'LIMIT_EXCEEDED',
      `The account may have ${account.check_limit} checks (check_limit). Delete one or ask the operator for more.`,
    );
  }
  if (account && change.load.probes > 0 && load.probes > account.checks_per_minute_limit * 1_000_000) {
    throw new AppError(
      'LIMIT_EXCEEDED',
      `The checks of this account would run ${Math.ceil(load.probes / 1_000_000)} times per minute; the limit is ` +
        `${account.checks_per_minute_limit} (checks_per_minute_limit). Give checks a longer interval, disable some, or ask ` +
        'the operator for more.',
    );
  }
  if (account && change.load.expressions > 0 && load.expressions > account.expressions_per_minute_limit * 1_000_000) {
    throw new AppError(
      'LIMIT_EXCEEDED',
      `The checks of this account would evaluate ${Math.ceil(load.expressions / 1_000_000)} expressions per minute; the ` +
        `limit is ${account.expressions_per_minute_limit} (expressions_per_minute_limit). Use fewer expressions or a ` +
        'longer interval, or ask the operator for more.',
    );
  }
  const put: CheckCountItem = { ...keys.checkCount(tenant), v: ports.ids.token(), checks, load };
  return { put, if: before ? { version: before.v } : 'absent' };
}
