import type { Context } from '#lib/access/context.ts';
import { retentionStart } from '#lib/access/retention.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { revisionsSince } from '#lib/checks/settings/revisions.ts';
import { checkTypeOf } from '#lib/checks/types/registry.ts';
import { RESULTS } from '#lib/keys.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { CLOCK_TOLERANCE_MS } from '#lib/platform/time.ts';
import { MAX_FUTURE_MS, type ResultItem } from '#lib/results/result.ts';
import { type ResultRecord, resultView } from '#lib/results/result-record.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { resultOf, storedEntries } from './stored-results.ts';

/** Results with `since` <= checked_at < `until`, in epoch ms. */
export type ResultRange = { since?: number | undefined; until?: number | undefined };

/** Returns a reader of results, newest first. The range is of `checked_at`; sort times can be earlier. */
export async function resultList(
  context: Context,
  check: CheckItem,
  { since, until }: ResultRange,
): Promise<Reader<ResultRecord>> {
  const { ports, keys, caller } = context;
  const now = ports.clock.now();
  const kept = retentionStart(now, caller.retention_days);
  // A push can be ahead by MAX_FUTURE_MS. `until` is limited: times after 2286 have more digits and would not sort.
  const latest = now + MAX_FUTURE_MS;
  const to = Math.min(until ?? latest, latest) + CLOCK_TOLERANCE_MS;
  const from = since === undefined ? kept : Math.max(kept, await earliestSortTime(context, check, since));
  const isInRange = ({ checked_at }: ResultItem): boolean => {
    const at = Date.parse(checked_at);
    return (since === undefined || at >= since) && (until === undefined || at < until);
  };
  const revisions = check.execution_mode === 'pull' ? await revisionsSince(context, check, from) : [];
  return async (after, limit) => {
    if (from > to) return { found: [] };
    const found: FoundResult[] = [];
    const runs = storedEntries(
      context,
      check,
      revisions,
      { from, until: to },
      { descending: true, page: limit, after },
    );
    for await (const page of runs) {
      for (const { at, result } of page.filter((entry) => entry.gap === undefined)) {
        const item = resultOf(keys, check, at, result);
        if (isInRange(item)) found.push({ item, isQuiet: result !== item });
      }
      if (found.length >= limit) break;
    }
    const items = await withNoted(context, check, found.slice(0, limit));
    const values = items.map((item) => ({ at: item.sk, value: resultView(context, check.id, item) }));
    return { found: values, ...(found.length >= limit && { next: values.at(-1)!.at }) };
  };
}

/** Found result. `isQuiet`: read from a pack, which does not store the noted properties. */
type FoundResult = { item: ResultItem; isQuiet: boolean };

/** Adds noted properties (`days_left`); a quiet result has those of the single result before it. */
async function withNoted(context: Context, check: CheckItem, found: readonly FoundResult[]): Promise<ResultItem[]> {
  const last = found.at(-1);
  if (!last || check.noted === undefined || !('days_left' in checkTypeOf(check.check_type).result.shape)) {
    return found.map(({ item }) => item);
  }
  let noted = last.isQuiet ? await notedBefore(context, check, last.item) : {};
  return found
    .toReversed()
    .map(({ item, isQuiet }) => {
      noted = isQuiet ? noted : (item.noted ?? {});
      return { ...item, noted };
    })
    .toReversed();
}

async function notedBefore({ ports, keys, tenant }: Context, check: CheckItem, { sk }: ResultItem) {
  const before = { from: RESULTS, to: sk, descending: true, limit: 1 };
  const { items } = await ports.table.query<ResultItem>({ partition: keys.ofCheck(tenant, check.id), ...before });
  return items[0]?.noted ?? {};
}

/** Returns the earliest sort time (epoch ms) that a result checked from `since` on can have: a slot can be earlier. */
async function earliestSortTime(context: Context, check: CheckItem, since: number): Promise<number> {
  const from = since - MAX_FUTURE_MS;
  if (check.execution_mode === 'push') return from;
  const revisions = await revisionsSince(context, check, from);
  const inForce = revisions.filter((revision) => revision.from <= since);
  return Math.min(from, ...inForce.map((revision) => latestSlot(revision.rhythm, since)));
}
