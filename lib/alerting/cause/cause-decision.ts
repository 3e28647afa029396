import { isRecentlyNotified, lastNotifiedAt, type NotifiedFailure } from '#lib/alerting/decide/notified-failure.ts';
import type { OpenWindow } from '#lib/alerting/policy/policy.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import type { CauseAnalysis } from './root-causes.ts';

/** Progress of a failure whose alert is held until its cause is known. Times in epoch ms. */
export type CauseProgress = {
  /** Number of consecutive evaluations that found a cause; 0 while the cause is in maintenance or its alert is held. */
  explained: number;
  /** Entity id of the root cause that was found last; null before one was found. */
  under: string | null;
  /** Set after the cause has ended: first and last recovery upstream, or the times at which they were found. */
  recovered: { first: number; last: number } | null;
};

export const NO_PROGRESS: CauseProgress = { explained: 0, under: null, recovered: null };

/** Input of a cause decision. Times in epoch ms. */
type CauseInput = {
  progress: CauseProgress;
  analysis: CauseAnalysis;
  /** Destinations not yet notified of the failure. */
  waiting: readonly string[];
  overBudget?: ReadonlySet<string>;
  /** Notified failures by entity: of upstream entities and root causes. */
  notifiedFailures: ReadonlyMap<string, NotifiedFailure>;
  /** Notified failure of the entity itself, if others depend on it: their alerts can have named it as the cause. */
  own?: NotifiedFailure | undefined;
  /** Time of the next recheck of a root cause's own alert, by root cause, while that alert is held. */
  pending: ReadonlyMap<string, number>;
  /** Open maintenance windows that include dependents, by root cause. */
  windows: ReadonlyMap<string, OpenWindow>;
  /** Known recovery times of upstream entities. */
  recoveries: ReadonlyMap<string, number>;
  down_at: number;
  cooldown_ms: number;
  /** Maximum time until the check detects a recovery. */
  settle_ms: number;
  /** Returns the time at which the first probe of the check at or after `time` has ended. */
  firstResultBy: (time: number) => number;
  now: number;
};

export type CauseDecision = {
  /** Destinations to notify now; `low`: just notified of a related failure, or over its page budget. */
  notify: { destination: string; urgency: 'high' | 'low' }[];
  /** Root cause that the alerts name. */
  root: string | null;
  wait: string[];
  progress: CauseProgress;
  /** Next recheck (epoch ms); undefined if no destination waits. */
  recheck_at: number | undefined;
  /** The maintenance window to wait for, if every root cause is in one. */
  window?: OpenWindow;
};

/** Recheck intervals (ms) under a suspected root cause, and under a confirmed one. */
const SUSPECTED_MS = 15_000;
const CONFIRMED_MS = [60_000, 120_000, 300_000];
/** Delay (ms) after the planned recheck of a pending root cause, and maximum wait for it: the recheck can be early. */
const PENDING_MS = 5_000;
const MAX_PENDING_MS = 60_000;
/** Time in ms after an upstream recovery in which a new failure can still be a consequence of the upstream failure. */
const CONSEQUENCE_MS = 300_000;
/** Maximum wait in ms after the first of several recoveries. */
const MAX_SETTLING_MS = 600_000;
/** Minimum settling time in ms, as caches and connection pools need. */
export const MIN_SETTLING_MS = 60_000;

/** Whether a destination was notified of a failure since its start, or within the cooldown until now (flapping). */
const wasNotified = (failure: NotifiedFailure, destination: string, cooldown_ms: number, now: number): boolean => {
  const at = pastOrZero(lastNotifiedAt(failure, destination) ?? 0, now);
  return at > 0 && (at >= failure.since || at > now - cooldown_ms);
};

/**
 * Decides about a held failure. A destination that was notified of the root cause waits; others are alerted now, with
 * the cause named. In a maintenance window that includes dependents, and for a time after the recovery of the cause,
 * all wait. A failure without a cause is alerted now. Pure.
 */
export function decideByCause(input: CauseInput): CauseDecision {
  const { analysis, progress } = input;
  if (analysis.explained) return explained(input);
  const recovered = recoveryOf(input);
  if (!recovered) return alertAll(input, progress);
  const due = Math.min(recovered.last + input.settle_ms, recovered.first + MAX_SETTLING_MS);
  const next: CauseProgress = { ...progress, explained: 0, recovered };
  const waiting = input.waiting.filter((one) => progress.under !== null || wasNotifiedOfPossibleCause(input, one));
  const resultAt = input.firstResultBy(due);
  return input.now < resultAt ? { ...alertSome(input, next, waiting), recheck_at: resultAt } : alertAll(input, next);
}

function explained(input: CauseInput): CauseDecision {
  const { analysis, progress, waiting, notifiedFailures, pending, windows, now, cooldown_ms } = input;
  const root = analysis.roots.find(({ entity_id }) => !windows.has(entity_id)) ?? analysis.roots[0]!;
  const window = windows.get(root.entity_id);
  const failure = notifiedFailures.get(root.entity_id);
  const next: CauseProgress = {
    explained: progress.explained + 1,
    under: root.entity_id,
    recovered: null,
  };
  const keepWaiting = (recheck_at: number): CauseDecision => ({
    ...{ notify: [], root: null, wait: [...waiting], progress: { ...next, explained: 0 }, recheck_at },
  });
  if (window) return { ...keepWaiting(input.firstResultBy(window.until)), window };
  const pendingAt = pending.get(root.entity_id);
  if (pendingAt !== undefined)
    return keepWaiting(Math.min(Math.max(pendingAt, now), now + MAX_PENDING_MS) + PENDING_MS);
  const notified = waiting.filter((one) => failure && wasNotified(failure, one, cooldown_ms, now));
  const unnotified = waiting.filter((one) => !notified.includes(one));
  const recheckMs = root.confirmed
    ? CONFIRMED_MS[Math.min(progress.explained, CONFIRMED_MS.length - 1)]!
    : SUSPECTED_MS;
  // A notification before the start of the root cause's failure counts only during the cooldown.
  const times = notified.flatMap((one) => lastNotifiedAt(failure, one) ?? []);
  const ends = times.filter((at) => at < failure!.since).map((at) => at + cooldown_ms);
  return {
    notify: unnotified.map((destination) => ({ destination, urgency: urgencyFor(input, destination) })),
    root: root.entity_id,
    wait: notified,
    progress: next,
    recheck_at: notified.length > 0 ? Math.min(now + recheckMs, ...ends) : undefined,
  };
}

/** Returns the recovery of the cause or, without a known cause, of possible ones; null if nothing is awaited. */
function recoveryOf({
  progress,
  analysis,
  recoveries,
  notifiedFailures,
  waiting,
  down_at,
  ...input
}: CauseInput): CauseProgress['recovered'] {
  if (progress.under !== null) {
    const failed = new Set(analysis.ancestors.flatMap((one) => (one.status === 'failed' ? [one.entity_id] : [])));
    const times = [...recoveries].flatMap(([id, at]) => (failed.has(id) ? [] : [at]));
    const last = Math.max(progress.recovered?.last ?? input.now, ...times);
    return { first: progress.recovered?.first ?? last, last };
  }
  const recent = [...notifiedFailures.values()].filter(
    (one) =>
      recoveredShortlyBefore(one, down_at) &&
      waiting.some((destination) => wasNotified(one, destination, input.cooldown_ms, input.now)),
  );
  const times = recent.map((one) => one.recovered_at!);
  return times.length > 0 ? { first: Math.min(...times), last: Math.max(...times) } : null;
}

const recoveredShortlyBefore = ({ recovered_at }: NotifiedFailure, down_at: number): boolean =>
  recovered_at !== undefined && recovered_at <= down_at && down_at - recovered_at < CONSEQUENCE_MS;

const wasNotifiedOfPossibleCause = (
  { notifiedFailures, down_at, cooldown_ms, now }: CauseInput,
  destination: string,
): boolean =>
  [...notifiedFailures.values()].some(
    (one) => recoveredShortlyBefore(one, down_at) && wasNotified(one, destination, cooldown_ms, now),
  );

const alertAll = (input: CauseInput, progress: CauseProgress): CauseDecision => alertSome(input, progress, []);

function alertSome(input: CauseInput, progress: CauseProgress, wait: string[]): CauseDecision {
  const notify = input.waiting
    .filter((one) => !wait.includes(one))
    .map((destination) => ({ destination, urgency: urgencyFor(input, destination) }));
  return { notify, root: null, wait, progress, recheck_at: undefined };
}

function urgencyFor(
  { analysis, progress, notifiedFailures, own, overBudget, now }: CauseInput,
  destination: string,
): 'high' | 'low' {
  if (overBudget?.has(destination)) return 'low';
  const roots = [...analysis.roots, ...analysis.survived].map((root) => root.entity_id);
  const concerned = [...roots, ...(progress.under === null ? [] : [progress.under])].map((root) =>
    notifiedFailures.get(root),
  );
  return [own, ...concerned].some((one) => isRecentlyNotified(one, destination, now)) ? 'low' : 'high';
}
