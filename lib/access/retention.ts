const DAY_SECONDS = 86_400;
/** Minimum retention of transitions, deliveries and executions (docs/develop/guarantees.md#retention). */
const HISTORY_DAYS = 90;

/** Returns the expiry in epoch seconds, rounded up to a full hour so that the items of an hour expire together. */
const expiryAfter = (at: number, days: number): number => Math.ceil((at / 1000 + days * DAY_SECONDS) / 3600) * 3600;

/** Returns the expiry of a result at `at` (epoch ms), in epoch seconds. */
export const resultExpiry = (at: number, retentionDays: number): number => expiryAfter(at, retentionDays);

/** Returns the expiry of a transition, delivery or execution, in epoch seconds. */
export const historyExpiry = (at: number, retentionDays: number): number =>
  expiryAfter(at, Math.max(retentionDays, HISTORY_DAYS));

/** Returns the oldest time (epoch ms) of a result that is still shown. */
export const retentionStart = (now: number, retentionDays: number): number => now - retentionDays * DAY_SECONDS * 1000;

/** Returns the oldest time (epoch ms) of a transition, delivery or execution that is still shown. */
export const historyStart = (now: number, retentionDays: number): number =>
  retentionStart(now, Math.max(retentionDays, HISTORY_DAYS));
