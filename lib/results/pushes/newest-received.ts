import type { CheckItem } from '#lib/checks/check-item.ts';
import { type PushTimes, storedLastReceived } from '#lib/checks/heartbeat.ts';
import type { Env } from '#lib/env.ts';
import { after, RESULTS, stamp } from '#lib/keys.ts';
import { itemsOf } from '#lib/platform/table/pages.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { orderOf, type ResultItem } from '#lib/results/result.ts';

/**
 * Returns the maximum time (ms) by which an applied push is older than the newest one; an older push is only stored
 * (docs/use/heartbeats.md#results-and-heartbeats-with-a-key).
 */
export const staleAfter = (check: Pick<CheckItem, 'interval_seconds'>): number =>
  Math.max(60_000, check.interval_seconds * 1000);

/** Maximum delay (ms) between checked_at and arrival of a quiet push. */
export const QUIET_MS = 60_000;

/** Returns the times of a push: `at`, which orders pushes (sort time, at most the arrival), and its arrival. */
export const pushTimesOf = (item: ResultItem): PushTimes => {
  const received_at = item.received_at ?? orderOf(item);
  return { at: Math.min(orderOf(item), received_at), received_at };
};

/** Returns the latest times of applied pushes; reads quiet pushes since the one on the check item. */
export async function newestReceived({ ports, keys }: Env, check: CheckItem): Promise<PushTimes | undefined> {
  const now = ports.clock.now();
  const newest = storedLastReceived(check, now);
  // No push is quiet while a heartbeat is missed, or after a clock correction.
  if (!newest || check.missed_at !== undefined || newest.received_at === 0) return newest;
  const results = itemsOf<ResultItem>(ports.table, {
    partition: keys.ofCheck(check.tenant_id, check.id),
    from: `${RESULTS}${stamp(newest.received_at - QUIET_MS)}`,
    to: after(RESULTS),
    descending: true,
    limit: 20,
  });
  for await (const item of results) {
    if (orderOf(item) + QUIET_MS <= newest.received_at) break;
    if (item.received_at === undefined || item.record_only) continue;
    const { at, received_at } = pushTimesOf(item);
    if (pastOrZero(received_at, now) === 0) continue;
    newest.at = Math.max(newest.at, at);
    newest.received_at = Math.max(newest.received_at, received_at);
  }
  return newest;
}

export const latest = (a: PushTimes | undefined, b: PushTimes): PushTimes => ({
  at: Math.max(a?.at ?? 0, b.at),
  received_at: Math.max(a?.received_at ?? 0, b.received_at),
});
