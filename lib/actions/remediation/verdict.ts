import type { Remediation } from '#lib/actions/action-item.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { OpenAttempt, VerificationVerdict } from './series.ts';

type Timing = Pick<CheckItem, 'interval_seconds' | 'timeout_ms'>;
type ExecutionOutcome = Pick<ExecutionItem, 'dispatch_status' | 'finished_at' | 'pipeline_status' | 'reported_at'>;

/** Maximum time (ms) from a probe until its result is written, because of packs and clock differences. */
const MAX_WRITE_DELAY_MS = 5_000;
/** Minimum and maximum time (ms) between rechecks after the settle time; it grows with the wait. */
const MIN_RECHECK_MS = 3_000;
const MAX_RECHECK_MS = 300_000;
/** Reserve (ms) for a late deadline, as after a service outage. */
const SPARE_MS = 120_000;

/** Maximum time (ms) until two results: two intervals and the timeout of the last probe. */
const resultsMs = ({ interval_seconds, timeout_ms }: Timing): number => 2 * interval_seconds * 1000 + timeout_ms;

/** Maximum time (ms) from the end of a request to its verdict. */
export const maxVerificationMs = ({ settle_seconds, verify_within_seconds }: Remediation, check: Timing): number =>
  2 * settle_seconds * 1000 + verify_within_seconds * 1000 + resultsMs(check) + MAX_WRITE_DELAY_MS + SPARE_MS;

/** Returns the time of the first recheck of an attempt (epoch ms). */
export const firstRecheckAt = ({ began_at, settings }: OpenAttempt): number =>
  began_at + Math.max(settings.settle_seconds * 1000, MIN_RECHECK_MS);

/** Results in (from, until] (epoch ms) decide; while a pipeline `isRunning`, only a healthy one before `until`. */
export type VerificationRange = { from: number; until: number; isRunning: boolean };

/** Returns the deciding range; `pending` until the request ends; `not_recovered` if it or its pipeline failed. Pure. */
export function rangeOf(
  execution: ExecutionOutcome,
  { settle_seconds, verify_within_seconds }: Remediation,
  check: Timing,
): VerificationRange | 'pending' | 'not_recovered' {
  if (execution.dispatch_status === 'pending' || execution.finished_at === null) return 'pending';
  if (execution.dispatch_status !== 'success' || execution.pipeline_status === 'failed') return 'not_recovered';
  const finished = Date.parse(execution.finished_at);
  const isRunning = execution.pipeline_status === 'queued' || execution.pipeline_status === 'running';
  const ended = Math.max(finished, isRunning ? 0 : (execution.reported_at ?? 0));
  const from = ended + settle_seconds * 1000;
  const until = isRunning ? Math.max(finished + verify_within_seconds * 1000, from) : from + resultsMs(check);
  return { from, until, isRunning };
}

/** Result that counts for a verdict, and whether the check was healthy by it. */
export type VerificationResult = { id: string; is_healthy: boolean };

/**
 * Returns the verdict; undefined while the next result may decide. `results`: those in the range, ordered by the start
 * of their probes. `was_monitored`: whether the check was monitored, if the range is over without results. Pure.
 */
export function verdictOf(
  { until, isRunning }: VerificationRange,
  results: readonly VerificationResult[],
  was_monitored: boolean,
  now: number,
): { verdict: VerificationVerdict; by: string | null } | undefined {
  const next = isRunning ? results.find(({ is_healthy }) => is_healthy) : results[0];
  if (next) return { verdict: next.is_healthy ? 'recovered' : 'not_recovered', by: next.id };
  if (now < until + MAX_WRITE_DELAY_MS) return undefined;
  const last = results.at(-1);
  if (last) return { verdict: 'not_recovered', by: last.id };
  return { verdict: was_monitored ? 'not_recovered' : 'unverified', by: null };
}

/** Returns the next recheck (epoch ms) of an attempt without a verdict. `slot`: first in the range, if any. Pure. */
export function nextRecheckAt(range: VerificationRange | 'pending', slot: number | undefined, now: number): number {
  if (range === 'pending') return now + MIN_RECHECK_MS;
  const { from, until } = range;
  if (now < from) return Math.max(from, slot ?? 0) + MIN_RECHECK_MS;
  const wait = Math.min(Math.max((now - from) / 5, MIN_RECHECK_MS), MAX_RECHECK_MS);
  return Math.ceil(Math.max(now + 1, Math.min(now + wait, Math.max(until + MAX_WRITE_DELAY_MS, now + MIN_RECHECK_MS))));
}
