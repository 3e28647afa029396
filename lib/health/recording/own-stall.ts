import type { ProbeOutcome } from '#lib/checks/types/check-type.ts';

/** A turn of the event loop may take so long (ms); a timer that is late by no more says nothing. */
const TURN_MS = 50;
/** A target may give up on us and close the connection after this time (ms), whatever the check's time-out. */
const PATIENCE_MS = 250;

/**
 * Whether a probe may have failed because this process stalled, so that nothing is known of its target. For a time-out:
 * when it stalled for more than a tenth of the time. With less, the target had nine tenths of it, so that a busy
 * process still finds a target that hangs. A target that refuses, answers wrongly or shows a bad certificate did
 * answer.
 * @param stalled_ms how long this process stood still meanwhile
 */
export function isOwnStall(outcome: ProbeOutcome, timeout_ms: number, stalled_ms: number): boolean {
  if (!outcome.interrupted) return false;
  const share = Math.max(TURN_MS, timeout_ms / 10);
  if (outcome.error_kind !== 'timeout') return stalled_ms > Math.min(share, PATIENCE_MS);
  // Our own deadline fires late by as long as we stalled at it.
  return Math.max(stalled_ms, outcome.latency_ms - timeout_ms) > share;
}
