/** What decides when the service is asked again. */
type Attention = {
  /** Whether the tab is hidden. */
  hidden: boolean;
  /** Milliseconds since somebody moved, typed or scrolled here. */
  idleMs: number;
  /** Looks in a row that failed. */
  failures: number;
  /** Seconds that the service asked to be left alone. */
  retryAfter: number | undefined;
};

const LOOKED_AT_MS = 5_000;
const VISIBLE_MS = 15_000;
const MAX_MS = 60_000;
const ATTENTIVE_MS = 60_000;

/** Looks that may fail before the page says that it is behind. */
export const MISSED_LOOKS = 3;

/**
 * Milliseconds from one look to the next: 5 s while somebody is there, 15 s while the tab is seen, 60 s while it is
 * hidden; doubled with each failure up to 60 s, and never sooner than the service asked for.
 */
export function pollInterval({ hidden, idleMs, failures, retryAfter = 0 }: Attention): number {
  const usual = hidden ? MAX_MS : idleMs < ATTENTIVE_MS ? LOOKED_AT_MS : VISIBLE_MS;
  const patient = Math.min(MAX_MS, usual * 2 ** Math.min(failures, 10));
  return Math.max(patient, retryAfter * 1000);
}
