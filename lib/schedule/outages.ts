import type { Env } from '#lib/env.ts';
import { stamp } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { iso, pastOrZero } from '#lib/platform/time.ts';

/** Time in which slots of a shard were not executed, [from, to) in epoch ms. Kept 400 days. */
type OutageItem = Item & { from: number; to: number };

const KEEP_SECONDS = 400 * 86_400;

/** Records a service outage on all shards, or on some. Idempotent. */
export async function recordOutage(
  { ports, keys }: Env,
  outage: { from: number; to: number },
  shards: number[] = keys.shards,
): Promise<void> {
  const expires_at = Math.floor(outage.to / 1000) + KEEP_SECONDS;
  await ports.table.putMany(shards.map((shard) => ({ ...keys.outage(shard, outage.from), ...outage, expires_at })));
  ports.log.warn('schedule outage recorded', { from: iso(outage.from), to: iso(outage.to), shards });
}

/** Returns the end (epoch ms) of the last service outage of the shard; 0 without one. */
export async function lastOutageEnd({ ports, keys }: Env, shard: number): Promise<number> {
  // Outages may overlap (of a host and of a generator), so the latest start need not have the latest end.
  const now = ports.clock.now();
  const { items } = await ports.table.query<OutageItem>({
    partition: keys.outages(shard),
    to: stamp(now),
    descending: true,
    limit: 5,
  });
  return Math.max(0, ...items.map((item) => pastOrZero(item.to, now)));
}

/** Returns the outages of a shard that touch [from, to), merged and ascending. */
export async function outagesBetween(
  { ports, keys }: Env,
  shard: number,
  from: number,
  to: number,
): Promise<{ from: number; to: number }[]> {
  const merged: { from: number; to: number }[] = [];
  for (const item of await allOf<OutageItem>(ports.table, { partition: keys.outages(shard), to: stamp(to) })) {
    const last = merged.at(-1);
    if (last && item.from <= last.to) last.to = Math.max(last.to, item.to);
    else merged.push({ from: item.from, to: item.to });
  }
  return merged.filter((outage) => outage.to > from && outage.from < to);
}
