import * as z from 'zod';
import type { CheckState, EntityState } from '#lib/catalog/states.ts';
import type { CheckItem, Streak } from '#lib/checks/check-item.ts';
import type { Outcome } from '#lib/checks/outcome.ts';
import { namesOf } from '#lib/platform/plain-data.ts';

/** How many results in a row there are so far, as the API shows it. */
export const Counters = z.object({
  consecutive_failures: z
    .int()
    .describe('Failures in a row so far, counted up to failure_threshold; that while it is down.'),
  consecutive_warnings: z
    .int()
    .describe(
      'Warnings and failures in a row so far, counted up to failure_threshold; that while it is degraded or down.',
    ),
  consecutive_successes: z
    .int()
    .describe(
      'Successes in a row on its way up: of a check that is down, those with a warning count. recovery_threshold while it is up.',
    ),
});
export type Counters = z.infer<typeof Counters>;

/** What is kept of them on a check: those that its state waits for. */
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
 * What one more result makes of a check (docs/use/states-and-history.md#states). A counter stops at its threshold, and
 * one that the state does not wait for is not kept: so the same outcome again and again changes nothing.
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

const COUNTERS = namesOf(UNJUDGED);

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

/** The streaks that a result belongs to; it ends the others. */
const STREAKS: Record<Outcome, readonly Streak[]> = {
  ok: ['goods', 'oks'],
  warn: ['goods', 'bads'],
  fail: ['fails', 'bads'],
};

/** The streaks that can end a state. */
const AWAITED: Record<CheckState, readonly Streak[]> = {
  unknown: ['fails', 'bads'],
  up: ['fails', 'bads'],
  degraded: ['fails', 'oks'],
  down: ['goods', 'oks'],
};

type Since = Pick<CheckItem, 'streaks_since'>;
type JudgedRun = { outcome: Outcome; at: number };

/** Since when (epoch ms) a streak lasts with one more result, which was checked at `at`; undefined if that ends it. */
const sinceWith = ({ streaks_since }: Since, streak: Streak, { outcome, at }: JudgedRun): number | undefined =>
  STREAKS[outcome].includes(streak) ? (streaks_since?.[streak] ?? at) : undefined;

/** What is kept of the streaks with one more result, which brings or leaves the check in a state; or nothing. */
export function keptStreaks(check: Since, state: CheckState, judged: JudgedRun): CheckItem['streaks_since'] {
  const kept = AWAITED[state].flatMap((streak) => {
    const since = sinceWith(check, streak, judged);
    return since === undefined ? [] : [[streak, since]];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/**
 * From when on (epoch ms) a state counts that a check comes to: the first result of the streak that decided it
 * (docs/use/states-and-history.md#history).
 * @param outcome of the last of these, which was checked at `at`
 */
export function countsFrom(check: Since & Pick<CheckItem, 'state'>, to: CheckState, judged: JudgedRun): number {
  return sinceWith(check, deciding(check.state, to), judged) ?? judged.at;
}

function deciding(from: CheckState, to: CheckState): Streak {
  switch (to) {
    case 'down':
      return 'fails';
    case 'degraded':
      return from === 'down' ? 'goods' : 'bads';
    case 'up':
    case 'unknown':
      return 'oks';
  }
}
