import type { DeadlineEntry } from '#lib/alerting/decide/notes.ts';
import type { Env } from '#lib/env.ts';
import { under } from '#lib/keys.ts';
import type { DueDeadline, Wake } from '#lib/messages.ts';
import { chunks } from '#lib/platform/plain-data.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { deadlineWrites, dueDeadline, type Owner } from '#lib/schedule/entries.ts';
import { sendDeadlines } from '#lib/schedule/jobs.ts';

const RECHECKS = ['late', 'hold'] as const;
type OwnedDeadline = DeadlineEntry & Owner;
const AT_ONCE = 25;

/** Rechecks each suppressed alert after a change that can release it, such as an ended silence. Repeatable. */
export async function recheckSuppressed(env: Env, { wake: tenant, at }: Wake): Promise<void> {
  const { ports, keys } = env;
  for (const kind of RECHECKS) {
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

/** Brings a deadline forward to `at`, unless it is due or waits to retry failed deliveries. */
async function bringForward(
  { ports, keys }: Env,
  kind: (typeof RECHECKS)[number],
  entry: OwnedDeadline,
  at: number,
): Promise<DueDeadline[]> {
  const { deadline, note } = entry;
  const now = ports.clock.now();
  if (deadline <= now || note?.failed_at !== undefined) return [];
  const next = { deadline: at, ...(note && { note }) };
  const { ok } = await ports.table.transact(deadlineWrites(keys, kind, entry, ports.ids.token(), entry, next));
  // After a conflict, the other writer used the present data.
  return ok ? [dueDeadline(kind, entry, at)] : [];
}
