const DAY_SECONDS = 86_400;
/** Minimum retention of transitions, deliveries and executions (docs/develop/guarantees.md#retention). */
const HISTORY_DAYS = 90;

/** Expiry is on full hours, so that items that expire together are stored together. */
const hourAfter = (at: number, days: number): number => Math.ceil((at / 1000 + days * DAY_SECONDS) / 3600) * 3600;

/** Returns the expiry of a result of `at` (epoch ms), in epoch seconds. */
export const resultExpiry = (at: number, retentionDays: number): number => hourAfter(at, retentionDays);

/** Returns the expiry of a transition or a delivery, in epoch seconds. */
export const historyExpiry = (at: number, retentionDays: number): number =>
  hourAfter(at, Math.max(retentionDays, HISTORY_DAYS));

/** Returns the oldest time (epoch ms) of a result that is still shown. */
export const retentionStart = (now: number, retentionDays: number): number => now - retentionDays * DAY_SECONDS * 1000;

/** Returns the oldest time (epoch ms) of a transition or a delivery that is still shown. */
export const historyStart = (now: number, retentionDays: number): number =>
  retentionStart(now, Math.max(retentionDays, HISTORY_DAYS));
