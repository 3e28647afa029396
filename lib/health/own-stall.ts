import type { Outcome } from '#lib/checks/check-type.ts';

/** A turn of the event loop may take so long (ms); a timer that is late by no more says nothing. */
const TURN_MS = 50;
/** Who waits for us may give up after so long (ms) and close the connection, whatever the time-out of the check is. */
const PATIENCE_MS = 250;

/**
 * Whether a probe may have failed because this process stood still, so that nothing is known of its target. After a
 * time-out that is so when it stood still for more than a tenth of the time: with less, the target had nine tenths of it,
 * and a target that hangs is still found by a process that is busy. A target that refuses, answers wrongly or shows a
 * bad certificate has said so itself.
 * @param stalled_ms how long this process stood still meanwhile
 */
export function isOwnStall(outcome: Outcome, timeout_ms: number, stalled_ms: number): boolean {
  if (!outcome.interrupted) return false;
  const share = Math.max(TURN_MS, timeout_ms / 10);
  if (outcome.error_kind !== 'timeout') return stalled_ms > Math.min(share, PATIENCE_MS);
  // The deadline, too, was late by as much as we stood still at it.
  return Math.max(stalled_ms, outcome.latency_ms - timeout_ms) > share;
}
