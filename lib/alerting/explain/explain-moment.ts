import type { AccountItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { retentionStart } from '#lib/access/retention.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { clock, counted } from '#lib/alerting/decide/words.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type HeartbeatDeadline, heartbeatDeadline } from '#lib/checks/heartbeat.ts';
import { type Outcome, outcomeOf } from '#lib/checks/outcome.ts';
import { type RevisionItem, revisionsSince } from '#lib/checks/settings/revisions.ts';
import { isUnconfirmed, NO_RESULTS, nextState, type StateCounters } from '#lib/checks/state/next-state.ts';
import { findGaps, type Gap } from '#lib/history/runs/gaps.ts';
import { resultOf, storedRuns } from '#lib/history/runs/runs.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { nextRetry } from '#lib/results/slots/retries.ts';
import { outagesBetween } from '#lib/schedule/outages.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { GAP_REASON, ordinal, seconds } from './explain-transition.ts';
import type { Explanation } from './explanation.ts';

/** What is known of a check at a moment that no transition explains. Times in epoch ms. */
export type ExplainInput = {
  at: number;
  check: CheckItem;
  /** The settings in force; undefined before the check was made. */
  revision: RevisionItem | undefined;
  state: CheckState;
  /** Runs that were judged since the last transition, ascending; the newest of them, if there are many. */
  runs: readonly { at: number; outcome: Outcome }[];
  /** The gap that the moment lies in. */
  gap: Gap | undefined;
  /** Push: when it fails if nothing comes. */
  silence: HeartbeatDeadline | undefined;
  /** Of the account, if it was ever disabled. */
  enabled_at: number | undefined;
  /** Results before this are no longer kept. */
  kept_since: number;
};

type MomentExplained = Pick<Explanation, 'verdict' | 'sentence'> & {
  /** Epoch ms: when it is probed or fails next, where that is known. */
  next?: { at: number; what: 'probe' | 'missed_heartbeat' };
};

/** Pure: why there was nothing to announce at a moment. Total: whatever is known, it says something. */
export function explainMoment(moment: ExplainInput): MomentExplained {
  return notChecked(moment) ?? progressOf(moment) ?? steady(moment);
}

function notChecked({ at, check, revision, gap, enabled_at }: ExplainInput): MomentExplained | undefined {
  const not = (why: string): MomentExplained => ({ verdict: 'not_probed', sentence: `It was not checked: ${why}.` });
  if (!revision) return not(`it was made only at ${clock(check.created_at)}`);
  if (!revision.enabled) return not(`it was disabled since ${clock(revision.from)}`);
  if (!gap) return undefined;
  const isAccounts = gap.cause === 'late' && enabled_at !== undefined && at < enabled_at && enabled_at <= gap.to;
  const why = isAccounts ? 'the account was disabled' : GAP_REASON[gap.cause];
  return not(`${why}, ${clock(gap.from)} to ${clock(gap.to)}`);
}

/**
 * Pure: how far the check had counted towards another state, by judging its runs once more; undefined when they leave
 * it as it was.
 */
export function progressOf(moment: ExplainInput): MomentExplained | undefined {
  const { check, revision, runs, at, state } = moment;
  const { failure_threshold, recovery_threshold } = revision ?? check;
  const thresholds = { failure_threshold, recovery_threshold };
  let standing: StateCounters = { ...NO_RESULTS, state };
  for (const { outcome } of runs) {
    // Its state did not change then: with settings that differed, only the count goes on.
    standing = { ...nextState(Object.assign(standing, thresholds), outcome), state };
  }
  const last = runs.at(-1);
  if (!last || !isUnconfirmed({ ...standing, ...thresholds })) return silentSoFar(moment);
  const { count, of, word } = counting(standing, thresholds);
  const due = check.execution_mode === 'pull' && revision ? dueAfter(check, revision, last.at, of - count) : undefined;
  const tense = due !== undefined && due <= at ? 'was' : 'would have been';
  const when = due === undefined ? '' : `; the ${ordinal(of)} ${tense} due at ${clock(due)}`;
  return {
    verdict: 'not_due',
    sentence: `${count} of ${counted(of, word)} in a row${when}.`,
    ...(due !== undefined &&
      revision && { next: { at: dueAfter(check, revision, last.at, 1), what: 'probe' as const } }),
  };
}

function counting(standing: StateCounters, { failure_threshold, recovery_threshold }: Thresholds) {
  const { consecutive_failures: fails, consecutive_warnings: bads = 0, consecutive_successes: goods = 0 } = standing;
  if (standing.state !== 'down' && fails > 0) return { count: fails, of: failure_threshold, word: 'failure' };
  if (goods > 0) return { count: goods, of: recovery_threshold, word: 'success' };
  return { count: bads, of: failure_threshold, word: 'warning' };
}

type Thresholds = Pick<CheckItem, 'failure_threshold' | 'recovery_threshold'>;

/** When the n-th probe behind a run is due (epoch ms). */
function dueAfter(check: CheckItem, { rhythm }: RevisionItem, from: number, n: number): number {
  let at = from;
  for (let i = 0; i < n; i++) at = nextRetry(check, at)?.at ?? latestSlot(rhythm, at) + rhythm.interval_ms;
  return at;
}

/** Of a push check that was silent for longer than it should be. */
function silentSoFar({ at, check, silence, state }: ExplainInput): MomentExplained | undefined {
  if (!silence || state === 'down') return undefined;
  const next = { at: silence.at, what: 'missed_heartbeat' as const };
  const not_due = (sentence: string): MomentExplained => ({ verdict: 'not_due', sentence, next });
  const fails = `it ${silence.at <= at ? 'was' : 'would be'} due to fail at ${clock(silence.at)}`;
  switch (silence.misses) {
    case 'any sign': {
      const silent = at - silence.since;
      if (silent <= check.interval_seconds * 1000) return undefined;
      return not_due(`It was silent for ${seconds(silent)} of ${seconds(silence.at - silence.since)}; ${fails}.`);
    }
    case 'due time':
      return at <= silence.due ? undefined : not_due(`Its job was due at ${clock(silence.due)}; ${fails}.`);
    case 'first sign':
      return not_due(`Nothing had come from it yet; ${fails}.`);
    case 'end of a run':
      return not_due(`A run had begun at ${clock(silence.started_at)} and was not over; ${fails}.`);
  }
}

function steady({ at, runs, state, kept_since, silence }: ExplainInput): MomentExplained {
  const next = silence && { next: { at: silence.at, what: 'missed_heartbeat' as const } };
  const last = runs.at(-1);
  if (at < kept_since) {
    const is = state === 'unknown' ? 'It had no state' : `It was ${state}`;
    return { verdict: 'no_alert_due', sentence: `${is}; its results of then are no longer kept, so that more is not known.` };
  }
  if (state === 'unknown')
    return { verdict: 'not_due', sentence: 'It had no result yet that could decide its state.', ...next };
  const said = last ? ` Its last run, at ${clock(last.at)}, ${SAID[last.outcome]}.` : '';
  return { verdict: 'no_alert_due', sentence: `It was ${state}, and there was nothing to tell.${said}`, ...next };
}

const SAID: Readonly<Record<Outcome, string>> = { ok: 'was a success', warn: 'had a warning', fail: 'failed' };

/** Gaps that are shown, the last before the moment. */
const MAX_GAPS = 10;
/** Runs that are shown at least; so many more are read as its thresholds count. */
const RUNS = 10;

/** A moment of a check, and what is shown of the time before it: results newest first, gaps in the order of time. */
export type ReadMoment = { moment: ExplainInput; results: ResultItem[]; gaps: Gap[] };

/**
 * Reads what was known of a check at `at` (epoch ms).
 * @param last its last transition up to then
 */
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

  const results = await lastResults(context, check, Math.max(kept_since, at - span(check)), at);
  const from = Math.max(kept_since, at - MAX_GAPS * check.interval_seconds * 1000);
  const { gaps } = await findGaps(context, check, { from, until: at + 1 }, { gaps: MAX_GAPS });
  const since = last ? Date.parse(last.timestamp) : 0;
  const judged = results.filter((one) => !one.history && Date.parse(one.checked_at) > since).reverse();
  return {
    moment: {
      at,
      check,
      revision,
      state: last?.check_to_state ?? 'unknown',
      runs: judged.map((one) => ({ at: Date.parse(one.checked_at), outcome: outcomeOf(one) })),
      gap: gaps.find((gap) => gap.from <= at && at < gap.to),
      silence: check.execution_mode === 'push' ? await silenceAt(context, check, results, account, at) : undefined,
      enabled_at: account?.enabled_at,
      kept_since,
    },
    results: results.slice(0, RUNS),
    gaps,
  };
}

const mostRuns = ({ failure_threshold, recovery_threshold }: CheckItem): number =>
  RUNS + Math.max(failure_threshold, recovery_threshold);

/** How far back (ms) so many runs may lie, some gaps between them included. */
const span = (check: CheckItem): number => 3 * mostRuns(check) * check.interval_seconds * 1000;

/** Newest first. */
async function lastResults(context: Context, check: CheckItem, from: number, at: number): Promise<ResultItem[]> {
  if (from > at) return [];
  const most = mostRuns(check);
  const revisions = check.execution_mode === 'pull' ? await revisionsSince(context, check, from) : [];
  const window = { from, until: at + 1 };
  const results: ResultItem[] = [];
  for await (const page of storedRuns(context, check, revisions, window, { descending: true, page: most })) {
    for (const moment of page)
      if (moment.gap === undefined) results.push(resultOf(context.keys, check, moment.at, moment.run));
    if (results.length >= most) break;
  }
  return results.slice(0, most);
}

/** When the check would have failed for silence, by what was known at `at`. */
async function silenceAt(
  { ports, keys }: Context,
  check: CheckItem,
  results: readonly ResultItem[],
  account: AccountItem | undefined,
  at: number,
) {
  const came = results.flatMap(({ received_at }) =>
    received_at !== undefined && received_at <= at ? [received_at] : [],
  );
  const ends = (await outagesBetween({ ports, keys }, keys.shardOf(check.id), 0, at)).map(({ to }) => to);
  const watched = [...ends, account?.enabled_at ?? 0].filter((time) => time <= at);
  const last = came.length > 0 ? Math.max(...came) : rememberedAt(check, at);
  return heartbeatDeadline(check, { last, watchedSince: Math.max(0, ...watched) }, at);
}

/** The push that the check remembers, where that came before. */
const rememberedAt = ({ last_received }: CheckItem, at: number): number | undefined =>
  last_received && last_received.received_at <= at ? last_received.received_at : undefined;
