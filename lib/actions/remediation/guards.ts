import type { Remediation } from '#lib/actions/action-item.ts';
import { iso } from '#lib/platform/time.ts';

/**
 * Most remediations of an account that are at work at once, and that begin within an hour
 * (docs/operate/limits.md#account-limits).
 */
const MAX_RUNNING = 3;
const MAX_PER_HOUR = 10;
/** So many checks that go down within a minute are no matter of one of them. */
const STORM = 5;
/** What others hold is looked at again after this time (ms). */
const AGAIN_MS = 30_000;
const HOUR_MS = 3_600_000;

/** Of those that share a lock one is at work at a time. */
const lock: Guard = {
  name: 'lock',
  judge({ lock, lock_name, now }) {
    if (!lock || lock.until <= now) return {};
    return { stops: `${lock.execution_id} has the lock ${lock_name}`, until: Math.min(lock.until, now + AGAIN_MS) };
  },
};

const accountLimit: Guard = {
  name: 'account_limit',
  judge({ running, begun, now }) {
    const atWork = running.filter((until) => until > now);
    if (atWork.length >= MAX_RUNNING) {
      const until = Math.min(atWork[0]!, now + AGAIN_MS);
      return { stops: `${MAX_RUNNING} remediations of the account are at work, the most at once`, until };
    }
    const lately = begun.filter((at) => at > now - HOUR_MS);
    if (lately.length < MAX_PER_HOUR) return {};
    return { stops: `${MAX_PER_HOUR} remediations began within an hour, the most`, until: lately[0]! + HOUR_MS };
  },
};

/** Where much goes down at once the cause lies elsewhere; what the others depend on is repaired all the same. */
const storm: Guard = {
  name: 'storm',
  judge: ({ went_down, is_root }) =>
    went_down >= STORM && !is_root ? { stops: `${went_down} checks of the account went down within a minute` } : {},
};

/** A hold is decided soon, and lasts where its cause is known (ms). */
const HOLD_MS = 15_000;
const EXPLAINED_MS = 60_000;

const alreadyHealthy: Guard = {
  name: 'already_healthy',
  judge: ({ is_healthy }) => (is_healthy ? { stops: 'the check has recovered' } : {}),
};

/** Where another failure is the cause, repairing this one repairs nothing; while that is being found out, it waits. */
const dependency: Guard = {
  name: 'dependency',
  judge({ dependency, now }) {
    if (!dependency) return {};
    const { root } = dependency;
    if (root === null) return { stops: 'what it follows from is being found out', until: now + HOLD_MS, waits: true };
    return { stops: `it follows from the failure of ${root}`, until: now + EXPLAINED_MS };
  },
};

/** Planned work is not worked against; what is still down at its end is repaired then. */
const maintenance: Guard = {
  name: 'maintenance',
  judge: ({ window }) => (window ? { stops: 'a maintenance window is open', until: window.until } : {}),
};

/** Whoever has acknowledged is at it. */
const acknowledged: Guard = {
  name: 'acknowledged',
  judge: ({ acknowledged }) => (acknowledged ? { stops: `${acknowledged.by} has acknowledged it` } : {}),
};

/** What did not help so often is left to people. */
const attempts: Guard = {
  name: 'attempts',
  judge: ({ attempts, remediation: { max_attempts } }) =>
    attempts >= max_attempts ? { stops: `all ${max_attempts} attempts of this series are used up` } : {},
};

const cooldown: Guard = {
  name: 'cooldown',
  judge({ last_began_at, remediation: { cooldown_seconds }, now }) {
    if (last_began_at === undefined) return {};
    const until = last_began_at + cooldown_seconds * 1000;
    return now < until
      ? { stops: `the last attempt began at ${iso(last_began_at)}; next at ${iso(until)}`, until }
      : {};
  },
};

/**
 * All guards, in the order in which they are asked (docs/use/remediation.md#guards): the first that stops an attempt is
 * why.
 */
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

/** Why an attempt is not made: which guard, in a sentence, and what else it says. */
export type Stopped = { guard: GuardName; why: string; until?: number; waits?: true };

/** Pure: the first guard that stops an attempt; undefined where it may be made. */
export function firstToStop(situation: GuardInput, list: readonly Guard[] = GUARDS): Stopped | undefined {
  for (const guard of list) {
    const { stops, ...rest } = guard.judge(situation);
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

/** All that the guards look at. Plain values; times in epoch ms. */
export type GuardInput = {
  now: number;
  remediation: Remediation;
  /** The check is well, or has been since the failure that the attempt is for. */
  is_healthy: boolean;
  /** It follows from another failure, or it is being found out whether it does. */
  dependency?: Cause;
  /** Until when a maintenance window lasts that the check is in. */
  window?: { until: number };
  /** Somebody has said that they take care of it. */
  acknowledged?: { by: string };
  /** Made in this series so far, and when the last one began, be it of the series before. */
  attempts: number;
  last_began_at?: number;
  lock_name: string;
  /** Who has the lock, and until when at most. */
  lock?: { execution_id: string; until: number };
  /** Of the account: until when at most each that is at work is, and when those of the last hour began; ascending. */
  running: readonly number[];
  begun: readonly number[];
  /** Checks of the account that went down about when this one did, and whether others depend on its entity. */
  went_down: number;
  is_root: boolean;
};

/**
 * `stops`: why in a sentence, undefined where it lets the attempt pass. `until`: when to look again (epoch ms); without
 * it this failure is done with. `waits`: it is not decided yet, so that there is nothing to record.
 */
type Guarded = { stops?: string; until?: number; waits?: true };

/** Something that an attempt must pass. Pure, and total. */
type Guard = { name: GuardName; judge(situation: GuardInput): Guarded };

/** A failure follows from that of the entity with this name; null while it is found out whether it does. */
export type Cause = { root: string | null };
