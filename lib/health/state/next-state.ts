import type { CheckState, EntityState } from '#lib/catalog/states.ts';

export type StateAndCount = { state: CheckState; consecutive_failures: number };
type Counted = { consecutive_failures: number; failure_threshold: number };

/**
 * What one more result makes of a check (docs/CONTRACT.md#states): any success is up, the threshold-th failure in a row
 * is down, fewer failures leave the state. The counter stops at the threshold.
 */
export function nextState(check: StateAndCount & Pick<Counted, 'failure_threshold'>, success: boolean): StateAndCount {
  if (success) return { state: 'up', consecutive_failures: 0 };
  const failures = Math.min(check.consecutive_failures + 1, check.failure_threshold);
  return { state: failures >= check.failure_threshold ? 'down' : check.state, consecutive_failures: failures };
}

/** Whether the next results may change its state: it has begun to fail, and not yet failed often enough. */
export const isUndecided = ({ consecutive_failures, failure_threshold }: Counted): boolean =>
  consecutive_failures > 0 && consecutive_failures < failure_threshold;

export const isSame = (a: StateAndCount, b: StateAndCount): boolean =>
  a.state === b.state && a.consecutive_failures === b.consecutive_failures;

/** State of an entity from those of its checks. Unknown checks, disabled ones among them, do not count. */
export function aggregate(checks: Record<string, CheckState>): EntityState {
  const states = new Set(Object.values(checks));
  if (states.has('up')) return states.has('down') ? 'degraded' : 'up';
  return states.has('down') ? 'down' : 'unknown';
}
