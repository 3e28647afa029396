type Attention = {
  hidden: boolean;
  idleMs: number;
  failures: number;
  /** Seconds from the header Retry-After. */
  retryAfter: number | undefined;
};

const ACTIVE_MS = 5_000;
const VISIBLE_MS = 15_000;
const MAX_MS = 60_000;
const ATTENTIVE_MS = 60_000;

/** Number of failed polls after which the page warns that it is outdated. */
export const MAX_FAILED_POLLS = 2;

/** Returns the poll interval in ms: by attention, doubled per failure up to 60 s, and at least `retryAfter`. */
export function pollInterval({ hidden, idleMs, failures, retryAfter = 0 }: Attention): number {
  const usual = hidden ? MAX_MS : idleMs < ATTENTIVE_MS ? ACTIVE_MS : VISIBLE_MS;
  const backoff = Math.min(MAX_MS, usual * 2 ** Math.min(failures, 10));
  return Math.max(backoff, retryAfter * 1000);
}
