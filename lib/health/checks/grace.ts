import type { CheckItem } from '#lib/checks/check-item.ts';

/**
 * How long (ms) a push check may be silent: its grace_seconds, by default twice its interval (docs/CONTRACT.md#checks).
 */
export const graceMs = (check: Pick<CheckItem, 'config' | 'interval_seconds'>): number =>
  1000 * (typeof check.config.grace_seconds === 'number' ? check.config.grace_seconds : 2 * check.interval_seconds);
