import type { Random } from '#test/support/random.ts';

/** Returns the settings of a remediation, with the lock of the entity or one of two named locks. */
export const newRemediation = (random: Random): object => ({
  trigger_to_state: random.pick(['down', 'down', 'degraded']),
  remediation: {
    max_attempts: random.pick([1, 1, 2, 3]),
    cooldown_seconds: random.pick([10, 20, 60]),
    lock: random.pick([null, null, 'db', 'deploy']),
    settle_seconds: random.pick([0, 3, 10]),
    verify_within_seconds: random.pick([10, 30, 60]),
    stable_seconds: random.pick([0, 60, 300, 600]),
  },
});
