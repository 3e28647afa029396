import type { Remediation } from '#lib/actions/action-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';

/** What came of an attempt. `unverified`: nobody watched the check when it should have shown. */
export type VerificationVerdict = 'recovered' | 'not_recovered' | 'unverified';

/** The failure of its check that a series is at. */
type Failure = { transition_id: string; transition_sk: string /** Epoch ms. */; at: number };

/** An attempt whose verdict is not there yet, by the settings that it began with. Times in epoch ms. */
export type OpenAttempt = { execution_id: string; began_at: number; settings: Remediation };

/**
 * The attempts of a guarded action at failures of its check that follow on each other: one an action. It says what the
 * deadline `remediation` of the action is about: the verdict of the attempt that is open, else the next one. About
 * 600 bytes. Times in epoch ms.
 */
export type AttemptSeriesItem = Item & {
  v: string;
  tenant_id: string;
  action_id: string;
  check_id: string;
  entity_id: string;
  failure: Failure;
  /** Made so far. */
  attempts: number;
  began_at: number;
  last_began_at?: number;
  open?: OpenAttempt;
  /** When the next attempt is due, if one is. */
  next_at?: number;
  last?: { verdict: VerificationVerdict; at: number };
  /** People were told that it is given up. */
  told?: true;
};

/** Seconds for which a series is kept at least once nothing is due in it: longer than any stable_seconds. */
const KEEP_SECONDS = 8 * 86_400;

/** What a new failure is compared with; times as in its transition. */
type NewFailure = { transition_id: string; sk: string; timestamp: string; check_from_state: string } & {
  check_from_since: string;
};

/**
 * Pure: the series that a failure belongs to. It goes on with the one before if the check was well for less than
 * stable_seconds, counted from the verdict `recovered`, or where it recovered otherwise, from that; else a new one begins.
 */
export function seriesAt(
  keys: Keys,
  before: AttemptSeriesItem | undefined,
  of: Pick<AttemptSeriesItem, 'tenant_id' | 'action_id' | 'check_id' | 'entity_id'>,
  failed: NewFailure,
  { stable_seconds }: Remediation,
): AttemptSeriesItem {
  const at = Date.parse(failed.timestamp);
  const failure: Failure = { transition_id: failed.transition_id, transition_sk: failed.sk, at };
  if (before?.check_id === of.check_id) {
    if (at <= before.failure.at) return before;
    if (before.open || at - wellSince(before, failed) < stable_seconds * 1000) return { ...before, failure };
  }
  const begun = { ...of, failure, attempts: 0, began_at: at };
  // The cool-down is of the action.
  const last = before?.last_began_at === undefined ? {} : { last_began_at: before.last_began_at };
  return { ...keys.remediation(of.tenant_id, of.action_id), v: '', ...begun, ...last };
}

function wellSince({ last, failure }: AttemptSeriesItem, { check_from_state, check_from_since }: NewFailure): number {
  if (last?.verdict === 'recovered') return last.at;
  // From degraded to down it has failed on.
  return check_from_state === 'degraded' ? (last?.at ?? failure.at) : Date.parse(check_from_since);
}

type Progress = Pick<AttemptSeriesItem, 'attempts' | 'last_began_at' | 'open' | 'next_at' | 'last' | 'told'>;
/** Undefined: it is none any more. */
type Changes = { [member in keyof Progress]?: Progress[member] | undefined };

/** The next version of a series, with its expiry. @param now epoch ms */
export function nextSeries(series: AttemptSeriesItem, changes: Changes, token: string, now: number): AttemptSeriesItem {
  const next = { ...series, ...changes, v: token } as AttemptSeriesItem;
  for (const member of ['open', 'next_at', 'last_began_at', 'last', 'told'] as const) {
    if (next[member] === undefined) delete next[member];
  }
  const latest = Math.max(now, next.next_at ?? 0) / 1000;
  return { ...next, expires_at: Math.ceil(latest) + KEEP_SECONDS };
}
