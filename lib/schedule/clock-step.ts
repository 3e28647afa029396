import type { Env } from '#lib/env.ts';
import { chunks } from '#lib/platform/chunks.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { iso } from '#lib/platform/time.ts';
import type { EntryItem } from './entries.ts';
import { recordOutage } from './outages.ts';
import { FARTHEST_MS, LOOKAHEAD_MS } from './watermark.ts';

/** Ticks come once a minute, so a clock step is noticed within this time (ms). */
const UNSEEN_MS = 60_000;
/** Entries written at once. */
const TOGETHER = 25;

/**
 * Repairs a shard after a clock step: its watermark is farther ahead than any tick puts it, so our clock ran ahead and
 * was set back. Logs it, notes an outage until now, so that no silence counts from before, and brings forward what the
 * wrong clock scheduled. A deadline may then be too early, which its handler corrects. Repeatable.
 * @param mark epoch ms
 */
export async function repairAfterClockStep(env: Env, shard: number, mark: number, now: number): Promise<void> {
  const { ports, keys } = env;
  ports.log.error('the clock was set back: the schedule had run ahead and goes on at the present time', {
    shard,
    emitted_until: iso(mark),
    now: iso(now),
  });
  await recordOutage(env, { from: now - UNSEEN_MS, to: now }, [shard]);
  const ahead = mark - now - LOOKAHEAD_MS;
  for await (const page of pagesOf<EntryItem>(ports.table, { partition: keys.entries(shard) })) {
    for (const entries of chunks(page, TOGETHER)) {
      const repairs = entries.flatMap((entry) => repaired(entry, ahead, now) ?? []);
      // Where another version stands by now, its writer knew the right time.
      const writes = repairs.map((entry) => ({ put: { ...entry, v: ports.ids.token() }, if: { version: entry.v } }));
      await Promise.all(writes.map((write) => ports.table.transact([write])));
    }
  }
}

/** Pure: an entry by the right clock; undefined when it is. `ahead`: how far (ms) the clock was, about. */
function repaired(entry: EntryItem, ahead: number, now: number): EntryItem | undefined {
  if ('rhythm' in entry) return entry.from > now + FARTHEST_MS + LOOKAHEAD_MS ? { ...entry, from: now } : undefined;
  return entry.deadline > now ? { ...entry, deadline: Math.max(now, entry.deadline - ahead) } : undefined;
}
