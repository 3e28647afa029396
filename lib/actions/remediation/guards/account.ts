import type { Guard } from '#lib/actions/remediation/guard.ts';

/** Most remediations of an account that are at work at once, and that begin within an hour (docs/LIMITS.md). */
const MOST_RUNNING = 3;
const MOST_AN_HOUR = 10;
/** So many checks that go down within a minute are no matter of one of them. */
const STORM = 5;
/** What others hold is looked at again after this time (ms). */
const AGAIN_MS = 30_000;
const HOUR_MS = 3_600_000;

/** Of those that share a lock one is at work at a time. */
export const lock: Guard = {
  name: 'lock',
  judge({ lock, lock_name, now }) {
    if (!lock || lock.until <= now) return {};
    return { stops: `${lock.execution_id} has the lock ${lock_name}`, until: Math.min(lock.until, now + AGAIN_MS) };
  },
};

export const accountLimit: Guard = {
  name: 'account_limit',
  judge({ running, begun, now }) {
    const atWork = running.filter((until) => until > now);
    if (atWork.length >= MOST_RUNNING) {
      const until = Math.min(atWork[0]!, now + AGAIN_MS);
      return { stops: `${MOST_RUNNING} remediations of the account are at work, the most at once`, until };
    }
    const lately = begun.filter((at) => at > now - HOUR_MS);
    if (lately.length < MOST_AN_HOUR) return {};
    return { stops: `${MOST_AN_HOUR} remediations began within an hour, the most`, until: lately[0]! + HOUR_MS };
  },
};

/** Where much goes down at once the cause lies elsewhere; what the others depend on is repaired all the same. */
export const storm: Guard = {
  name: 'storm',
  judge: ({ went_down, is_root }) =>
    went_down >= STORM && !is_root ? { stops: `${went_down} checks of the account went down within a minute` } : {},
};
