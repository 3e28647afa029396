import type { CheckItem } from '#lib/checks/check-item.ts';
import { type PushTimes, storedLastReceived } from '#lib/checks/heartbeat.ts';
import type { Env } from '#lib/env.ts';
import { after, RESULTS, stamp } from '#lib/keys.ts';
import { itemsOf } from '#lib/platform/table/pages.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { orderOf, type ResultItem } from '#lib/results/result.ts';

/**
 * A push older than the newest received by more than this (ms) is history only
 * (docs/use/heartbeats.md#results-and-heartbeats-with-a-key).
 */
export const staleAfter = (check: Pick<CheckItem, 'interval_seconds'>): number =>
  Math.max(60_000, check.interval_seconds * 1000);

/** A push that arrives more than this (ms) after its checked_at is never quiet. */
export const QUIET_MS = 60_000;

/** A stored push as new as its checked_at says; one from the future as of its arrival. */
export const arrivalOrderOf = (item: ResultItem): PushTimes => {
  const received_at = item.received_at ?? orderOf(item);
  return { at: Math.min(orderOf(item), received_at), received_at };
};

/**
 * The newest push that was applied, by order and by arrival; undefined before the first. It is the one on the check
 * item, or a quiet one since then, which wrote only its result. A quiet push is ordered at most QUIET_MS before its
 * arrival, so the look back is short: usually one item.
 */
export async function newestReceived({ ports, keys }: Env, check: CheckItem): Promise<PushTimes | undefined> {
  const now = ports.clock.now();
  const newest = storedLastReceived(check, now);
  // While it is silent, or after a clock step, no push is quiet.
  if (!newest || check.silence_at !== undefined || newest.received_at === 0) return newest;
  const results = itemsOf<ResultItem>(ports.table, {
    partition: keys.ofCheck(check.tenant_id, check.id),
    from: `${RESULTS}${stamp(newest.received_at - QUIET_MS)}`,
    to: after(RESULTS),
    descending: true,
    limit: 20,
  });
  for await (const item of results) {
    if (orderOf(item) + QUIET_MS <= newest.received_at) break;
    if (item.received_at === undefined || item.history) continue;
    const { at, received_at } = arrivalOrderOf(item);
    if (pastOrZero(received_at, now) === 0) continue;
    newest.at = Math.max(newest.at, at);
    newest.received_at = Math.max(newest.received_at, received_at);
  }
  return newest;
}

/** The newer of two, of each of its times. */
export const latest = (a: PushTimes | undefined, b: PushTimes): PushTimes => ({
  at: Math.max(a?.at ?? 0, b.at),
  received_at: Math.max(a?.received_at ?? 0, b.received_at),
});
