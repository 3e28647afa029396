import type { Remediation } from '#lib/actions/action-item.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { OpenAttempt, VerificationVerdict } from './series.ts';

type Timing = Pick<CheckItem, 'interval_seconds' | 'timeout_ms'>;
type ExecutionOutcome = Pick<ExecutionItem, 'dispatch_status' | 'finished_at' | 'pipeline_status' | 'reported_at'>;

/** A result may be written so long (ms) after its probe has ended: with others, and by a machine with its own clock. */
const WRITTEN_MS = 5_000;
/** While it waits it is looked at so often (ms), and the rarer the longer it takes. */
const MIN_MS = 3_000;
const LATEST_MS = 300_000;
/** Beyond what a verdict takes (ms): its deadline may come late, as after an outage of ours. */
const SPARE_MS = 120_000;

/** How long results are waited for: two of them, the last to its end. */
const resultsMs = ({ interval_seconds, timeout_ms }: Timing): number => 2 * interval_seconds * 1000 + timeout_ms;

/** The longest time (ms) from the end of a call to its verdict. */
export const longestMs = ({ settle_seconds, verify_within_seconds }: Remediation, check: Timing): number =>
  2 * settle_seconds * 1000 + verify_within_seconds * 1000 + resultsMs(check) + WRITTEN_MS + SPARE_MS;

/** When an attempt is looked at first (epoch ms). */
export const firstRecheckAt = ({ began_at, settings }: OpenAttempt): number =>
  began_at + Math.max(settings.settle_seconds * 1000, MIN_MS);

/**
 * Which results decide: those whose probe began after `from`, until `until`, both epoch ms. `isRunning`: its pipeline
 * goes on, so that only a success decides before the end.
 */
export type VerificationRange = { from: number; until: number; isRunning: boolean };

/** Pure: what is waited for after the call of an attempt; or what came of it without any result. */
export function spanOf(
  run: ExecutionOutcome,
  { settle_seconds, verify_within_seconds }: Remediation,
  check: Timing,
): VerificationRange | 'pending' | 'not_recovered' {
  if (run.dispatch_status === 'pending' || run.finished_at === null) return 'pending';
  if (run.dispatch_status !== 'success' || run.pipeline_status === 'failed') return 'not_recovered';
  const finished = Date.parse(run.finished_at);
  const isRunning = run.pipeline_status === 'queued' || run.pipeline_status === 'running';
  const ended = Math.max(finished, isRunning ? 0 : (run.reported_at ?? 0));
  const from = ended + settle_seconds * 1000;
  const until = isRunning ? Math.max(finished + verify_within_seconds * 1000, from) : from + resultsMs(check);
  return { from, until, isRunning };
}

/** A result that counts for a verdict: whether the check was well by it. */
export type VerificationResult = { id: string; is_well: boolean };

/**
 * Pure: what came of an attempt; undefined while the next result may still decide.
 * @param signs those of the span that there are, in the order in which their probes began
 * @param was_watched whether a result was to be expected by then
 */
export function verdictOf(
  { until, isRunning }: VerificationRange,
  signs: readonly VerificationResult[],
  was_watched: boolean,
  now: number,
): { verdict: VerificationVerdict; by: string | null } | undefined {
  const next = isRunning ? signs.find(({ is_well }) => is_well) : signs[0];
  if (next) return { verdict: next.is_well ? 'recovered' : 'not_recovered', by: next.id };
  if (now < until + WRITTEN_MS) return undefined;
  const last = signs.at(-1);
  if (last) return { verdict: 'not_recovered', by: last.id };
  return { verdict: was_watched ? 'not_recovered' : 'unverified', by: null };
}

/**
 * Pure: when an attempt that has no verdict is looked at next (epoch ms).
 * @param slot when the next probe is due, if one is
 */
export function nextRecheckAt(span: VerificationRange | 'pending', slot: number | undefined, now: number): number {
  if (span === 'pending') return now + MIN_MS;
  const { from, until } = span;
  if (now < from) return Math.max(from, slot ?? 0) + MIN_MS;
  const wait = Math.min(Math.max((now - from) / 5, MIN_MS), LATEST_MS);
  return Math.ceil(Math.max(now + 1, Math.min(now + wait, Math.max(until + WRITTEN_MS, now + MIN_MS))));
}
