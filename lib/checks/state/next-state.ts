import type { CheckState, EntityState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { countersOf, type KeptCounters } from '#lib/checks/counters.ts';
import type { Outcome } from '#lib/checks/outcome.ts';

/** A check's state, and the lengths of the streaks of results that it waits for. */
export type Standing = Pick<
  CheckItem,
  'state' | 'consecutive_failures' | 'consecutive_warnings' | 'consecutive_successes' | 'consecutive_oks'
>;
type Judged = Required<Standing>;
type Thresholds = Pick<CheckItem, 'failure_threshold' | 'recovery_threshold'>;

/** Of a check that was never judged, or begins anew. */
export const UNJUDGED: Omit<Judged, 'state'> = {
  consecutive_failures: 0,
  consecutive_warnings: 0,
  consecutive_successes: 0,
  consecutive_oks: 0,
};

/**
 * What one more result makes of a check (docs/CONTRACT.md#states). A counter stops at its threshold, and one that the
 * state does not wait for is not kept: so the same outcome again and again changes nothing.
 */
export function nextState(check: Standing & Thresholds, outcome: Outcome): Judged {
  const { failure_threshold, recovery_threshold } = check;
  const fails = outcome === 'fail' ? check.consecutive_failures + 1 : 0;
  const down: Judged = { ...UNJUDGED, state: 'down', consecutive_failures: failure_threshold };
  const degraded = (oks: number): Judged => ({
    ...UNJUDGED,
    state: 'degraded',
    consecutive_failures: fails,
    consecutive_successes: oks,
  });
  switch (check.state) {
    case 'unknown':
    case 'up': {
      const bads = outcome === 'ok' ? 0 : (check.consecutive_warnings ?? 0) + 1;
      if (fails >= failure_threshold) return down;
      if (bads >= failure_threshold) return degraded(0);
      const state = outcome === 'fail' ? check.state : 'up';
      return { ...UNJUDGED, state, consecutive_failures: fails, consecutive_warnings: bads };
    }
    case 'degraded': {
      const oks = outcome === 'ok' ? (check.consecutive_successes ?? 0) + 1 : 0;
      if (fails >= failure_threshold) return down;
      return oks >= recovery_threshold ? { ...UNJUDGED, state: 'up' } : degraded(oks);
    }
    case 'down': {
      const goods = outcome === 'fail' ? 0 : (check.consecutive_successes ?? 0) + 1;
      const oks = outcome === 'ok' ? (check.consecutive_oks ?? 0) + 1 : 0;
      if (goods < recovery_threshold) return { ...down, consecutive_successes: goods, consecutive_oks: oks };
      return oks >= recovery_threshold ? { ...UNJUDGED, state: 'up' } : degraded(oks);
    }
  }
}

export const isSame = (a: Standing, b: Standing): boolean =>
  a.state === b.state && COUNTERS.every((counter) => (a[counter] ?? 0) === (b[counter] ?? 0));

const COUNTERS = Object.keys(UNJUDGED) as (keyof typeof UNJUDGED)[];

/** Whether results to come may soon change its state: a counter is on its way to its threshold. */
export function isUndecided(check: KeptCounters): boolean {
  const { failure_threshold, recovery_threshold } = check;
  const { consecutive_failures, consecutive_warnings, consecutive_successes } = countersOf(check);
  const isOnItsWay = (counter: number, threshold: number) => counter > 0 && counter < threshold;
  return (
    isOnItsWay(consecutive_failures, failure_threshold) ||
    isOnItsWay(consecutive_warnings, failure_threshold) ||
    isOnItsWay(consecutive_successes, recovery_threshold)
  );
}

/** State of an entity from those of its checks. Unknown checks, disabled ones among them, do not count. */
export function aggregate(checks: Record<string, CheckState>): EntityState {
  const [first = 'unknown', ...others] = new Set(Object.values(checks).filter((state) => state !== 'unknown'));
  return others.length === 0 ? first : 'degraded';
}
