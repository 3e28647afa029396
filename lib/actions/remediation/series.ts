import type { Remediation } from '#lib/actions/action-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';

/** Verdict of an attempt. `unverified`: the check was not monitored during verification. */
export type VerificationVerdict = 'recovered' | 'not_recovered' | 'unverified';

/** Failure by its transition; `at` in epoch ms. */
type Failure = { transition_id: string; transition_sk: string; at: number };

/** Attempt without a verdict, with its settings at the start. Times in epoch ms. */
export type OpenAttempt = { execution_id: string; began_at: number; settings: Remediation };

/**
 * Attempt series of a guarded action, one per action. The deadline `remediation` of the action is for the verdict of
 * the open attempt, else for the next attempt. About 600 bytes. Times in epoch ms.
 */
export type AttemptSeriesItem = Item & {
  v: string;
  tenant_id: string;
  action_id: string;
  check_id: string;
  entity_id: string;
  failure: Failure;
  attempts: number;
  last_began_at?: number;
  open?: OpenAttempt;
  next_at?: number;
  last?: { verdict: VerificationVerdict; at: number };
  /** Whether the alert about the failed remediation was sent, or skipped by the rules. */
  notified?: true;
};

/** Minimum retention in seconds after the last change: longer than any stable_seconds. */
const KEEP_SECONDS = 8 * 86_400;

type NewFailure = { transition_id: string; sk: string; timestamp: string; check_from_state: string } & {
  check_from_since: string;
};

/**
 * Returns the previous series while an attempt is open, or if the check was healthy for less than stable_seconds; else
 * a new one. The check counts as healthy since the verdict `recovered` or, without it, since its recovery. Pure.
 */
export function seriesAt(
  keys: Keys,
  before: AttemptSeriesItem | undefined,
  of: Pick<AttemptSeriesItem, 'tenant_id' | 'action_id' | 'check_id' | 'entity_id'>,
  newFailure: NewFailure,
  { stable_seconds }: Remediation,
): AttemptSeriesItem {
  const at = Date.parse(newFailure.timestamp);
  const failure: Failure = { transition_id: newFailure.transition_id, transition_sk: newFailure.sk, at };
  if (before?.check_id === of.check_id) {
    if (at <= before.failure.at) return before;
    if (before.open || at - healthySince(before, newFailure) < stable_seconds * 1000) return { ...before, failure };
  }
  const begun = { ...of, failure, attempts: 0 };
  // The cooldown applies to the action, and continues in a new series.
  const last = before?.last_began_at === undefined ? {} : { last_began_at: before.last_began_at };
  return { ...keys.remediation(of.tenant_id, of.action_id), v: '', ...begun, ...last };
}

function healthySince(
  { last, failure }: AttemptSeriesItem,
  { check_from_state, check_from_since }: NewFailure,
): number {
  if (last?.verdict === 'recovered') return last.at;
  // A degraded check has not recovered; the time since the last verdict or else the last failure counts instead.
  return check_from_state === 'degraded' ? (last?.at ?? failure.at) : Date.parse(check_from_since);
}

type Progress = Pick<AttemptSeriesItem, 'attempts' | 'last_began_at' | 'open' | 'next_at' | 'last' | 'notified'>;
type Changes = { [member in keyof Progress]?: Progress[member] | undefined };

/** Returns the next version of a series, with its expiry. @param now epoch ms */
export function nextSeries(series: AttemptSeriesItem, changes: Changes, token: string, now: number): AttemptSeriesItem {
  const next = { ...series, ...changes, v: token } as AttemptSeriesItem;
  for (const member of ['open', 'next_at', 'last_began_at', 'last', 'notified'] as const) {
    if (next[member] === undefined) delete next[member];
  }
  const latest = Math.max(now, next.next_at ?? 0) / 1000;
  return { ...next, expires_at: Math.ceil(latest) + KEEP_SECONDS };
}
