import type { DeadlineEntry } from '#lib/alerting/decide/notes.ts';
import type { Env } from '#lib/env.ts';
import { under } from '#lib/keys.ts';
import type { DueDeadline, Wake } from '#lib/messages.ts';
import { chunks } from '#lib/platform/plain-data.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { deadlineWrites, dueDeadline, type Owner } from '#lib/schedule/entries.ts';
import { sendDeadlines } from '#lib/schedule/jobs.ts';

/** The deadlines at which alerts are looked at that something holds back. */
const HELD_BACK = ['late', 'hold'] as const;
type OwnedDeadline = DeadlineEntry & Owner;
/** Deadlines moved together. */
const AT_ONCE = 25;

/**
 * Has every alert of an account looked at that something holds back: a silence or a window has ended before its time.
 * Looks that find nothing due go back to where they were. Repeatable.
 */
export async function wakeAlerts(env: Env, { wake: tenant, at }: Wake): Promise<void> {
  const { ports, keys } = env;
  for (const kind of HELD_BACK) {
    for (const shard of keys.shards) {
      const query = { partition: keys.entries(shard), ...under(`${kind}#${tenant}#`) };
      for await (const entries of pagesOf<OwnedDeadline>(ports.table, query)) {
        for (const some of chunks(entries, AT_ONCE)) {
          const moved = await Promise.all(some.map((entry) => bringForward(env, kind, entry, at)));
          await sendDeadlines(env, moved.flat());
        }
      }
    }
  }
}

/** One that is due by itself, or waits until a delivery that failed is tried again, stays where it is. */
async function bringForward(
  { ports, keys }: Env,
  kind: (typeof HELD_BACK)[number],
  entry: OwnedDeadline,
  at: number,
): Promise<DueDeadline[]> {
  const { deadline, note } = entry;
  const now = ports.clock.now();
  if (deadline <= now || note?.failed_at !== undefined) return [];
  const next = { deadline: at, ...(note && { note }) };
  const { ok } = await ports.table.transact(deadlineWrites(keys, kind, entry, ports.ids.token(), entry, next));
  // Whoever was faster has looked at it, or moved it, by what holds now.
  return ok ? [dueDeadline(kind, entry, at)] : [];
}
