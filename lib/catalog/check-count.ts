import type { AccountItem } from '#lib/access/account.ts';
import type { TenantScope } from '#lib/access/context.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Item, Write } from '#lib/platform/ports.ts';

/** Number of checks of an account, and their load. Written by changes of checks, never by a probe. About 120 bytes. */
export type CheckCountItem = Item & { v: string; checks: number; load: CheckLoad };

/** Work of checks: probes, and evaluated expressions, each in millionths per minute, so that sums are exact. */
export type CheckLoad = { probes: number; expressions: number };

export const NO_LOAD: CheckLoad = { probes: 0, expressions: 0 };

/** Returns the sum of two loads. */
export const addLoads = (a: CheckLoad, b: CheckLoad): CheckLoad => ({
  probes: a.probes + b.probes,
  expressions: a.expressions + b.expressions,
});

/** Returns the load that cancels a load. */
export const negated = ({ probes, expressions }: CheckLoad): CheckLoad => ({
  probes: -probes,
  expressions: -expressions,
});

/** Returns how often something runs per minute with an interval in seconds, in millionths. */
export const perMinute = (intervalSeconds: number): number => Math.round(60_000_000 / intervalSeconds);

/** Change of the count. */
type CheckStep = { checks: number; load: CheckLoad };

/** Changes the check count. Throws LIMIT_EXCEEDED if an increase, which needs `account`, exceeds a limit. */
export function countChecks(
  { ports, keys, tenant }: TenantScope,
  before: CheckCountItem | undefined,
  step: CheckStep,
  account?: Pick<AccountItem, 'check_limit' | 'checks_per_minute_limit' | 'expressions_per_minute_limit'>,
): Write {
  const checks = (before?.checks ?? 0) + step.checks;
  const load = addLoads(before?.load ?? NO_LOAD, step.load);
  if (account && step.checks > 0 && checks > account.check_limit) {
    throw new AppError(
      'LIMIT_EXCEEDED',
      `The account has ${account.check_limit} checks, the maximum (check_limit). Delete one or ask for more.`,
    );
  }
  if (account && step.load.probes > 0 && load.probes > account.checks_per_minute_limit * 1_000_000) {
    throw new AppError(
      'LIMIT_EXCEEDED',
      `The checks of this account would run ${Math.ceil(load.probes / 1_000_000)} times per minute; the limit is ` +
        `${account.checks_per_minute_limit} (checks_per_minute_limit). Give checks a longer interval, disable some, or ask ` +
        'the operator for more.',
    );
  }
  if (account && step.load.expressions > 0 && load.expressions > account.expressions_per_minute_limit * 1_000_000) {
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
