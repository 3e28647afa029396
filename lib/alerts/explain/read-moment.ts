import type { AccountItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { retentionStart } from '#lib/access/retention.ts';
import type { Moment } from '#lib/alerting/explain/explain-moment.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { silenceDeadline } from '#lib/checks/heartbeat.ts';
import { outcomeOf } from '#lib/checks/outcome.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import { revisionsSince } from '#lib/health/history/read-revisions.ts';
import { findGaps, type Gap } from '#lib/history/runs/gaps.ts';
import { resultOf, storedRuns } from '#lib/history/runs/runs.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { outagesBetween } from '#lib/schedule/outages.ts';

/** Gaps that are shown, the last before the moment. */
const MOST_GAPS = 10;
/** Runs that are shown at least; so many more are read as its thresholds count. */
const RUNS = 10;

/** A moment of a check, and what is shown of the time before it: results newest first, gaps in the order of time. */
export type ReadMoment = { moment: Moment; results: ResultItem[]; gaps: Gap[] };

/**
 * Reads what was known of a check at `at` (epoch ms).
 * @param last its last transition up to then
 */
export async function readMoment(
  context: Context,
  check: CheckItem,
  last: TransitionItem | undefined,
  at: number,
): Promise<ReadMoment> {
  const { ports, keys, tenant, caller } = context;
  const revisions = await revisionsSince(context, check, at);
  const revision = revisions.filter(({ from }) => from <= at).at(-1);
  const kept_since = retentionStart(ports.clock.now(), caller.retention_days);
  const account = await ports.table.get<AccountItem>(keys.account(tenant));

  const results = await lastResults(context, check, Math.max(kept_since, at - span(check)), at);
  const from = Math.max(kept_since, at - MOST_GAPS * check.interval_seconds * 1000);
  const { gaps } = await findGaps(context, check, { from, until: at + 1 }, { gaps: MOST_GAPS });
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
  return silenceDeadline(check, { last, watchedSince: Math.max(0, ...watched) }, at);
}

/** The push that the check remembers, where that came before. */
const rememberedAt = ({ last_received }: CheckItem, at: number): number | undefined =>
  last_received && last_received.received_at <= at ? last_received.received_at : undefined;
