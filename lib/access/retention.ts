const DAY_SECONDS = 86_400;
/** Transitions, deliveries and executions are kept at least so long (docs/develop/guarantees.md#retention). */
const HISTORY_DAYS = 90;

/** Expiry falls on whole hours, so that what expires together lies together. */
const hourAfter = (at: number, days: number): number => Math.ceil((at / 1000 + days * DAY_SECONDS) / 3600) * 3600;

/** Epoch seconds from which a result of `at` (epoch ms) may be dropped. */
export const resultExpiry = (at: number, retentionDays: number): number => hourAfter(at, retentionDays);

/** The same for a transition or a delivery. */
export const historyExpiry = (at: number, retentionDays: number): number =>
  hourAfter(at, Math.max(retentionDays, HISTORY_DAYS));

/** Oldest instant (epoch ms) of a result that is still shown. */
export const retentionStart = (now: number, retentionDays: number): number => now - retentionDays * DAY_SECONDS * 1000;

/** The same for a transition or a delivery. */
export const historyStart = (now: number, retentionDays: number): number =>
  retentionStart(now, Math.max(retentionDays, HISTORY_DAYS));
