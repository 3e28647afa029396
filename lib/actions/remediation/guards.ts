import type { Remediation } from '#lib/actions/action-item.ts';
import { HOUR_MS, iso } from '#lib/platform/time.ts';

/** Limits of an account: concurrent remediations, and starts per hour (docs/operate/limits.md#account-limits). */
const MAX_RUNNING = 3;
const MAX_PER_HOUR = 10;
/** Number of checks, including the failed one, that make a storm if they go down within a minute of the failure. */
const STORM = 5;
/** Maximum time (ms) until the next evaluation if the lock is taken or too many remediations are running. */
const RETRY_MS = 30_000;

const lock: Guard = {
  name: 'lock',
  evaluate({ lock, lock_name, now }) {
    if (!lock || lock.until <= now) return {};
    return { stops: `${lock.execution_id} has the lock ${lock_name}`, until: Math.min(lock.until, now + RETRY_MS) };
  },
};

const accountLimit: Guard = {
  name: 'account_limit',
  evaluate({ running, begun, now }) {
    const active = running.filter((until) => until > now);
    if (active.length >= MAX_RUNNING) {
      const until = Math.min(active[0]!, now + RETRY_MS);
      return { stops: `${MAX_RUNNING} remediations of the account are running, the maximum`, until };
    }
    const recent = begun.filter((at) => at > now - HOUR_MS);
    if (recent.length < MAX_PER_HOUR) return {};
    return { stops: `${MAX_PER_HOUR} remediations started within an hour, the maximum`, until: recent[0]! + HOUR_MS };
  },
};

/** Many failures at once have a common cause elsewhere. An entity with dependents may be that cause. */
const storm: Guard = {
  name: 'storm',
  evaluate: ({ went_down, has_dependents }) =>
    went_down >= STORM && !has_dependents
      ? { stops: `${went_down} checks of the account went down within a minute of this failure` }
      : {},
};

/** Times until the next evaluation (ms): while a root cause is evaluated, and while a known one lasts. */
const HOLD_MS = 15_000;
const DOWNSTREAM_MS = 60_000;

const alreadyHealthy: Guard = {
  name: 'already_healthy',
  evaluate: ({ is_healthy }) => (is_healthy ? { stops: 'the failure has ended' } : {}),
};

/** Remediation of a downstream failure has no effect. An attempt waits while the root cause is evaluated. */
const dependency: Guard = {
  name: 'dependency',
  evaluate({ dependency, now }) {
    if (!dependency) return {};
    const { root } = dependency;
    if (root === null) return { stops: 'the root cause is being evaluated', until: now + HOLD_MS, undecided: true };
    return { stops: `the failure was caused by the failure of ${root}`, until: now + DOWNSTREAM_MS };
  },
};

const maintenance: Guard = {
  name: 'maintenance',
  evaluate: ({ window }) => (window ? { stops: 'a maintenance window is open', until: window.until } : {}),
};

/** A user is handling an acknowledged failure. */
const acknowledged: Guard = {
  name: 'acknowledged',
  evaluate: ({ acknowledged }) => (acknowledged ? { stops: `${acknowledged.by} has acknowledged the failure` } : {}),
};

/** Failures that remain after all attempts are left to users. */
const attempts: Guard = {
  name: 'attempts',
  evaluate: ({ attempts, remediation: { max_attempts } }) =>
    attempts >= max_attempts ? { stops: `all ${max_attempts} attempts of this series have been made` } : {},
};

const cooldown: Guard = {
  name: 'cooldown',
  evaluate({ last_began_at, remediation: { cooldown_seconds }, now }) {
    if (last_began_at === undefined) return {};
    const until = last_began_at + cooldown_seconds * 1000;
    return now < until
      ? { stops: `the last attempt began at ${iso(last_began_at)}; next at ${iso(until)}`, until }
      : {};
  },
};

/** Guards in the order of evaluation (docs/use/remediation.md#guards); the first that stops an attempt counts. */
export const GUARDS: readonly Guard[] = [
  alreadyHealthy,
  dependency,
  maintenance,
  acknowledged,
  attempts,
  cooldown,
  lock,
  accountLimit,
  storm,
];

/** Guard that stops an attempt, with a human-readable reason; `until` and `undecided` as in `Guarded`. */
export type Stopped = { guard: GuardName; why: string; until?: number; undecided?: true };

/** Returns the first guard that stops an attempt; undefined if it is allowed. Pure. */
export function firstToStop(input: GuardInput, list: readonly Guard[] = GUARDS): Stopped | undefined {
  for (const guard of list) {
    const { stops, ...rest } = guard.evaluate(input);
    if (stops !== undefined) return { guard: guard.name, why: stops, ...rest };
  }
  return undefined;
}

type GuardName =
  | 'already_healthy'
  | 'dependency'
  | 'maintenance'
  | 'acknowledged'
  | 'attempts'
  | 'cooldown'
  | 'lock'
  | 'account_limit'
  | 'storm';

/** Input of the guards. Plain values; times in epoch ms. */
export type GuardInput = {
  now: number;
  remediation: Remediation;
  /** Whether the check is healthy, or was healthy at some time after the failure. */
  is_healthy: boolean;
  /** Root cause, if the failure is downstream or its cause is still being evaluated. */
  dependency?: Cause;
  window?: { until: number };
  acknowledged?: { by: string };
  /** Number of attempts of this series, and start of the last attempt, even if it was of an earlier series. */
  attempts: number;
  last_began_at?: number;
  lock_name: string;
  lock?: { execution_id: string; until: number };
  /** Account: times at which running remediations expire, and starts of the last hour; ascending. */
  running: readonly number[];
  begun: readonly number[];
  went_down: number;
  has_dependents: boolean;
};

/**
 * Result of a guard. `stops`: reason; undefined if the attempt is allowed. `until`: time of the next evaluation (epoch
 * ms). `undecided`: the stop is not recorded.
 */
type Guarded = { stops?: string; until?: number; undecided?: true };

type Guard = { name: GuardName; evaluate(input: GuardInput): Guarded };

/** Root cause: name of its entity; null while the cause is being evaluated. */
export type Cause = { root: string | null };
