import type { AccountItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { retentionStart } from '#lib/access/retention.ts';
import { counted, timeText } from '#lib/alerting/decide/fact-texts.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type HeartbeatDeadline, heartbeatDeadline } from '#lib/checks/heartbeat.ts';
import { type Outcome, outcomeOf } from '#lib/checks/outcome.ts';
import { type RevisionItem, revisionsSince } from '#lib/checks/settings/revisions.ts';
import { isUnconfirmed, NO_RESULTS, nextState, type StateCounters } from '#lib/checks/state/next-state.ts';
import { findGaps, type Gap } from '#lib/history/results/gaps.ts';
import { resultOf, storedEntries } from '#lib/history/results/stored-results.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { nextRetry } from '#lib/results/slots/retries.ts';
import { outagesBetween } from '#lib/schedule/outages.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { GAP_REASON, ordinal, seconds } from './explain-transition.ts';
import type { Explanation } from './explanation.ts';

/** Data of a check at a time, to explain why no alert was due. Times in epoch ms. */
export type ExplainInput = {
  at: number;
  check: CheckItem;
  /** The settings in effect; undefined before the check was created. */
  revision: RevisionItem | undefined;
  state: CheckState;
  /** Results applied since the last transition, ascending; only the newest if there are many. */
  results: readonly { at: number; outcome: Outcome }[];
  gap: Gap | undefined;
  /** Heartbeat deadline at that time; push checks only. */
  heartbeat: HeartbeatDeadline | undefined;
  /** When the account was last enabled, if it was ever disabled. */
  enabled_at: number | undefined;
  kept_since: number;
};

type MomentExplained = Pick<Explanation, 'verdict' | 'sentence'> & {
  /** Epoch ms of the next probe or heartbeat deadline, if known. */
  next?: { at: number; what: 'probe' | 'missed_heartbeat' };
};

/** Explains why no alert was due at a time. Returns an explanation for any input. Pure. */
export function explainMoment(moment: ExplainInput): MomentExplained {
  return explainGap(moment) ?? progressOf(moment) ?? noAlertDue(moment);
}

function explainGap({ at, check, revision, gap, enabled_at }: ExplainInput): MomentExplained | undefined {
  const notChecked = (why: string): MomentExplained => ({
    verdict: 'not_probed',
    sentence: `It was not checked: ${why}.`,
  });
  if (!revision) return notChecked(`it was created at ${timeText(check.created_at)}`);
  if (!revision.enabled) return notChecked(`it had been disabled since ${timeText(revision.from)}`);
  if (!gap) return undefined;
  const isAccountDisabled = gap.cause === 'late' && enabled_at !== undefined && at < enabled_at && enabled_at <= gap.to;
  const why = isAccountDisabled ? 'the account was disabled' : GAP_REASON[gap.cause];
  return notChecked(`${why}, ${timeText(gap.from)} to ${timeText(gap.to)}`);
}

/** Returns the progress towards another state, by counting the results again; undefined without progress. Pure. */
export function progressOf(moment: ExplainInput): MomentExplained | undefined {
  const { check, revision, results, at, state } = moment;
  const { failure_threshold, recovery_threshold } = revision ?? check;
  const thresholds = { failure_threshold, recovery_threshold };
  let counters: StateCounters = { ...NO_RESULTS, state };
  for (const { outcome } of results) {
    // None of these results changed the state, so only the counters continue, even after a settings change.
    counters = { ...nextState(Object.assign(counters, thresholds), outcome), state };
  }
  const last = results.at(-1);
  if (!last || !isUnconfirmed({ ...counters, ...thresholds })) return overdueHeartbeat(moment);
  const { count, of, word } = counting(counters, thresholds);
  const due = check.execution_mode === 'pull' && revision ? dueAfter(check, revision, last.at, of - count) : undefined;
  const tense = due !== undefined && due <= at ? 'was' : 'would have been';
  const when = due === undefined ? '' : `; the ${ordinal(of)} ${tense} due at ${timeText(due)}`;
  return {
    verdict: 'not_due',
    sentence: `${count} of ${counted(of, word)} in a row${when}.`,
    ...(due !== undefined &&
      revision && { next: { at: dueAfter(check, revision, last.at, 1), what: 'probe' as const } }),
  };
}

function counting(counters: StateCounters, { failure_threshold, recovery_threshold }: Thresholds) {
  const {
    consecutive_failures: failures,
    consecutive_warnings: warnings = 0,
    consecutive_successes: successes = 0,
  } = counters;
  if (counters.state !== 'down' && failures > 0) return { count: failures, of: failure_threshold, word: 'failure' };
  if (successes > 0) return { count: successes, of: recovery_threshold, word: 'success' };
  return { count: warnings, of: failure_threshold, word: 'warning' };
}

type Thresholds = Pick<CheckItem, 'failure_threshold' | 'recovery_threshold'>;

/** Returns when the n-th probe after a result is due (epoch ms). */
function dueAfter(check: CheckItem, { rhythm: schedule }: RevisionItem, from: number, n: number): number {
  let at = from;
  for (let i = 0; i < n; i++) at = nextRetry(check, at)?.at ?? latestSlot(schedule, at) + schedule.interval_ms;
  return at;
}

function overdueHeartbeat({ at, check, heartbeat, state }: ExplainInput): MomentExplained | undefined {
  if (!heartbeat || state === 'down') return undefined;
  const next = { at: heartbeat.at, what: 'missed_heartbeat' as const };
  const notDue = (sentence: string): MomentExplained => ({ verdict: 'not_due', sentence, next });
  const failureText = `it ${heartbeat.at <= at ? 'was due to fail' : 'would fail'} at ${timeText(heartbeat.at)}`;
  switch (heartbeat.misses) {
    case 'any heartbeat': {
      const withoutHeartbeat = at - heartbeat.since;
      if (withoutHeartbeat <= check.interval_seconds * 1000) return undefined;
      return notDue(
        `No heartbeat for ${seconds(withoutHeartbeat)} of ${seconds(heartbeat.at - heartbeat.since)}; ${failureText}.`,
      );
    }
    case 'due time':
      return at <= heartbeat.due
        ? undefined
        : notDue(`A heartbeat was due at ${timeText(heartbeat.due)}; ${failureText}.`);
    case 'first heartbeat':
      return notDue(`It had not sent a heartbeat yet; ${failureText}.`);
    case 'end of a run':
      return notDue(`A job run had started at ${timeText(heartbeat.started_at)} and not ended; ${failureText}.`);
  }
}

function noAlertDue({ at, results, state, kept_since, heartbeat }: ExplainInput): MomentExplained {
  const next = heartbeat && { next: { at: heartbeat.at, what: 'missed_heartbeat' as const } };
  const last = results.at(-1);
  if (at < kept_since) {
    const stateText = state === 'unknown' ? 'It had no state' : `It was ${state}`;
    return {
      verdict: 'no_alert_due',
      sentence: `${stateText}. Its results at that time are no longer kept.`,
    };
  }
  if (state === 'unknown')
    return { verdict: 'not_due', sentence: 'It had no result yet that could decide its state.', ...next };
  const lastResult = last ? ` Its last result, at ${timeText(last.at)}, ${OUTCOMES[last.outcome]}.` : '';
  return { verdict: 'no_alert_due', sentence: `It was ${state}, and no alert was due.${lastResult}`, ...next };
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  ok: 'was a success',
  warn: 'was a warning',
  fail: 'was a failure',
};

/** An explanation shows the gaps of this number of intervals before its time, and at most this number of gaps. */
const MAX_GAPS = 10;
/** Number of results in an explanation. As many more as the larger threshold are read, to count streaks. */
const SHOWN_RESULTS = 10;

/** The data of a check at a time, with the results (newest first) and gaps (oldest first) before it. */
export type ReadMoment = { moment: ExplainInput; results: ResultItem[]; gaps: Gap[] };

/** Reads the data of a check at `at` (epoch ms). @param last its last transition before that */
export async function readExplainInput(
  context: Context,
  check: CheckItem,
  last: DecidedTransition | undefined,
  at: number,
): Promise<ReadMoment> {
  const { ports, keys, tenant, caller } = context;
  const revisions = await revisionsSince(context, check, at);
  const revision = revisions.filter(({ from }) => from <= at).at(-1);
  const kept_since = retentionStart(ports.clock.now(), caller.retention_days);
  const account = await ports.table.get<AccountItem>(keys.account(tenant));

  const results = await lastResults(context, check, Math.max(kept_since, at - lookbackMs(check)), at);
  const from = Math.max(kept_since, at - MAX_GAPS * check.interval_seconds * 1000);
  const { gaps } = await findGaps(context, check, { from, until: at + 1 }, { gaps: MAX_GAPS });
  const since = last ? Date.parse(last.timestamp) : 0;
  const applied = results.filter((one) => !one.record_only && Date.parse(one.checked_at) > since).reverse();
  return {
    moment: {
      at,
      check,
      revision,
      state: last?.check_to_state ?? 'unknown',
      results: applied.map((one) => ({ at: Date.parse(one.checked_at), outcome: outcomeOf(one) })),
      gap: gaps.find((gap) => gap.from <= at && at < gap.to),
      heartbeat:
        check.execution_mode === 'push' ? await heartbeatDeadlineAt(context, check, results, account, at) : undefined,
      enabled_at: account?.enabled_at,
      kept_since,
    },
    results: results.slice(0, SHOWN_RESULTS),
    gaps,
  };
}

const maxResults = ({ failure_threshold, recovery_threshold }: CheckItem): number =>
  SHOWN_RESULTS + Math.max(failure_threshold, recovery_threshold);

/** Returns how far back (ms) to read, with time for gaps. */
const lookbackMs = (check: CheckItem): number => 3 * maxResults(check) * check.interval_seconds * 1000;

/** Reads the last results, newest first. */
async function lastResults(context: Context, check: CheckItem, from: number, at: number): Promise<ResultItem[]> {
  if (from > at) return [];
  const most = maxResults(check);
  const revisions = check.execution_mode === 'pull' ? await revisionsSince(context, check, from) : [];
  const window = { from, until: at + 1 };
  const results: ResultItem[] = [];
  for await (const page of storedEntries(context, check, revisions, window, { descending: true, page: most })) {
    for (const entry of page)
      if (entry.gap === undefined) results.push(resultOf(context.keys, check, entry.at, entry.result));
    if (results.length >= most) break;
  }
  return results.slice(0, most);
}

async function heartbeatDeadlineAt(
  { ports, keys }: Context,
  check: CheckItem,
  results: readonly ResultItem[],
  account: AccountItem | undefined,
  at: number,
) {
  const received = results.flatMap(({ received_at }) =>
    received_at !== undefined && received_at <= at ? [received_at] : [],
  );
  const ends = (await outagesBetween({ ports, keys }, keys.shardOf(check.id), 0, at)).map(({ to }) => to);
  const starts = [...ends, account?.enabled_at ?? 0].filter((time) => time <= at);
  const last = received.length > 0 ? Math.max(...received) : storedPushAt(check, at);
  return heartbeatDeadline(check, { last, monitoredSince: Math.max(0, ...starts) }, at);
}

/** Returns the arrival (epoch ms) of the last push stored on the check, unless it is after `at`. */
const storedPushAt = ({ last_received }: CheckItem, at: number): number | undefined =>
  last_received && last_received.received_at <= at ? last_received.received_at : undefined;
