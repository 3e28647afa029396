import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { RESULTS } from '#lib/keys/prefixes.ts';
import { after, stamp } from '#lib/keys.ts';
import { itemsOf } from '#lib/platform/table/pages.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { orderOf, type ResultItem } from '#lib/results/result.ts';

/** A push older than the newest received by more than this (ms) is history only (docs/CONTRACT.md#pushes). */
export const staleAfter = (check: Pick<CheckItem, 'interval_seconds'>): number =>
  Math.max(60_000, check.interval_seconds * 1000);

/** A push that arrives more than this (ms) after its checked_at is never quiet. */
export const QUIET_MS = 60_000;

/** How new a push is, epoch ms: by what it is ordered by, and by its arrival. */
type Newness = { at: number; received_at: number };

/** A stored push as new as its checked_at says; one from the future as of its arrival. */
export const newnessOf = (item: ResultItem): Newness => {
  const received_at = item.received_at ?? orderOf(item);
  return { at: Math.min(orderOf(item), received_at), received_at };
};

/**
 * The push that a check item remembers; undefined before the first one. After a clock step its times are 0, and the
 * next push is not quiet.
 */
export const remembered = ({ last_received }: CheckItem, now: number): Newness | undefined =>
  last_received && {
    at: pastOrZero(last_received.at, now),
    received_at: pastOrZero(last_received.received_at, now),
  };

/**
 * The newest push that was applied, by order and by arrival; undefined before the first. It is the one on the check
 * item, or a quiet one since then, which wrote only its result. A quiet push is ordered at most QUIET_MS before its
 * arrival, so the look back is short: usually one item.
 */
export async function newestReceived({ ports, keys }: Env, check: CheckItem): Promise<Newness | undefined> {
  const now = ports.clock.now();
  const newest = remembered(check, now);
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
    const { at, received_at } = newnessOf(item);
    if (pastOrZero(received_at, now) === 0) continue;
    newest.at = Math.max(newest.at, at);
    newest.received_at = Math.max(newest.received_at, received_at);
  }
  return newest;
}

/** The newer of two, of each of its times. */
export const latest = (a: Newness | undefined, b: Newness): Newness => ({
  at: Math.max(a?.at ?? 0, b.at),
  received_at: Math.max(a?.received_at ?? 0, b.received_at),
});
