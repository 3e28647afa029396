import * as z from 'zod';
import type { CheckState, EntityState } from '#lib/catalog/states.ts';
import type { CheckItem, Streak } from '#lib/checks/check-item.ts';
import type { Outcome } from '#lib/checks/outcome.ts';
import { namesOf } from '#lib/platform/plain-data.ts';

export const Counters = z.object({
  consecutive_failures: z
    .int()
    .describe('Consecutive failures, up to failure_threshold; failure_threshold while down.'),
  consecutive_warnings: z
    .int()
    .describe('Consecutive warnings and failures, up to failure_threshold; equal to it while degraded or down.'),
  consecutive_successes: z
    .int()
    .describe(
      'Consecutive successes towards recovery; successes with a warning count only while down. While up: recovery_threshold.',
    ),
});
export type Counters = z.infer<typeof Counters>;

/** Counters stored on a check: only those that its state needs. */
type KeptCounters = Pick<
  CheckItem,
  | 'state'
  | 'failure_threshold'
  | 'recovery_threshold'
  | 'consecutive_failures'
  | 'consecutive_warnings'
  | 'consecutive_successes'
>;

export function countersOf(check: KeptCounters): Counters {
  const { failure_threshold, recovery_threshold, consecutive_failures } = check;
  const { consecutive_warnings = 0, consecutive_successes = 0 } = check;
  switch (check.state) {
    case 'unknown':
      return { consecutive_failures, consecutive_warnings, consecutive_successes: 0 };
    case 'up':
      return { consecutive_failures, consecutive_warnings, consecutive_successes: recovery_threshold };
    case 'degraded':
      return { consecutive_failures, consecutive_warnings: failure_threshold, consecutive_successes };
    case 'down':
      return {
        consecutive_failures: failure_threshold,
        consecutive_warnings: failure_threshold,
        consecutive_successes,
      };
  }
}

export type StateCounters = Pick<
  CheckItem,
  'state' | 'consecutive_failures' | 'consecutive_warnings' | 'consecutive_successes' | 'consecutive_oks'
>;
type CountedState = Required<StateCounters>;
type Thresholds = Pick<CheckItem, 'failure_threshold' | 'recovery_threshold'>;

export const NO_RESULTS: Omit<CountedState, 'state'> = {
  consecutive_failures: 0,
  consecutive_warnings: 0,
  consecutive_successes: 0,
  consecutive_oks: 0,
};

/**
 * Returns the state and counters after one more result (docs/use/states-and-history.md#states). A counter stops at its
 * threshold, and counters that the state does not need are dropped, so that repeated outcomes change nothing.
 */
export function nextState(check: StateCounters & Thresholds, outcome: Outcome): CountedState {
  const { failure_threshold, recovery_threshold } = check;
  const failures = outcome === 'fail' ? check.consecutive_failures + 1 : 0;
  const down: CountedState = { ...NO_RESULTS, state: 'down', consecutive_failures: failure_threshold };
  const degraded = (clean: number): CountedState => ({
    ...NO_RESULTS,
    state: 'degraded',
    consecutive_failures: failures,
    consecutive_successes: clean,
  });
  switch (check.state) {
    case 'unknown':
    case 'up': {
      const problems = outcome === 'ok' ? 0 : (check.consecutive_warnings ?? 0) + 1;
      if (failures >= failure_threshold) return down;
      if (problems >= failure_threshold) return degraded(0);
      const state = outcome === 'fail' ? check.state : 'up';
      return { ...NO_RESULTS, state, consecutive_failures: failures, consecutive_warnings: problems };
    }
    case 'degraded': {
      const clean = outcome === 'ok' ? (check.consecutive_successes ?? 0) + 1 : 0;
      if (failures >= failure_threshold) return down;
      return clean >= recovery_threshold ? { ...NO_RESULTS, state: 'up' } : degraded(clean);
    }
    case 'down': {
      const successes = outcome === 'fail' ? 0 : (check.consecutive_successes ?? 0) + 1;
      const clean = outcome === 'ok' ? (check.consecutive_oks ?? 0) + 1 : 0;
      if (successes < recovery_threshold) return { ...down, consecutive_successes: successes, consecutive_oks: clean };
      return clean >= recovery_threshold ? { ...NO_RESULTS, state: 'up' } : degraded(clean);
    }
  }
}

export const isSameState = (a: StateCounters, b: StateCounters): boolean =>
  a.state === b.state && COUNTERS.every((counter) => (a[counter] ?? 0) === (b[counter] ?? 0));

const COUNTERS = namesOf(NO_RESULTS);

/** Whether a state change is unconfirmed: a counter is between 0 and its threshold. */
export function isUnconfirmed(check: KeptCounters): boolean {
  const { failure_threshold, recovery_threshold } = check;
  const { consecutive_failures, consecutive_warnings, consecutive_successes } = countersOf(check);
  const isBetween = (counter: number, threshold: number) => counter > 0 && counter < threshold;
  return (
    isBetween(consecutive_failures, failure_threshold) ||
    isBetween(consecutive_warnings, failure_threshold) ||
    isBetween(consecutive_successes, recovery_threshold)
  );
}

/** Returns the state of an entity from its checks. Unknown checks, including disabled ones, do not count. */
export function aggregate(checks: Record<string, CheckState>): EntityState {
  const [first = 'unknown', ...others] = new Set(Object.values(checks).filter((state) => state !== 'unknown'));
  return others.length === 0 ? first : 'degraded';
}

/** Streaks that a result starts or continues; it ends the others. */
const STREAKS: Record<Outcome, readonly Streak[]> = {
  ok: ['successes', 'clean_successes'],
  warn: ['successes', 'problems'],
  fail: ['failures', 'problems'],
};

const STREAKS_CHANGING_STATE: Record<CheckState, readonly Streak[]> = {
  unknown: ['failures', 'problems'],
  up: ['failures', 'problems'],
  degraded: ['failures', 'clean_successes'],
  down: ['successes', 'clean_successes'],
};

type StreakStarts = Pick<CheckItem, 'streaks_since'>;
type CountedResult = { outcome: Outcome; at: number };

/** Returns the start (epoch ms) of a streak after one more result; undefined if the result ends it. */
const sinceWith = (
  { streaks_since }: StreakStarts,
  streak: Streak,
  { outcome, at }: CountedResult,
): number | undefined => (STREAKS[outcome].includes(streak) ? (streaks_since?.[streak] ?? at) : undefined);

/** Returns the starts of the streaks to store after one more result that leads to `state`; undefined without any. */
export function keptStreaks(check: StreakStarts, state: CheckState, result: CountedResult): CheckItem['streaks_since'] {
  const kept = STREAKS_CHANGING_STATE[state].flatMap((streak) => {
    const since = sinceWith(check, streak, result);
    return since === undefined ? [] : [[streak, since]];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** Returns the time (epoch ms) from which a new state counts (docs/use/states-and-history.md#history). */
export function countsFrom(
  check: StreakStarts & Pick<CheckItem, 'state'>,
  to: CheckState,
  result: CountedResult,
): number {
  return sinceWith(check, decidingStreak(check.state, to), result) ?? result.at;
}

function decidingStreak(from: CheckState, to: CheckState): Streak {
  switch (to) {
    case 'down':
      return 'failures';
    case 'degraded':
      return from === 'down' ? 'successes' : 'problems';
    case 'up':
    case 'unknown':
      return 'clean_successes';
  }
}
