import type { Env } from '#lib/env.ts';
import { stamp } from '#lib/keys.ts';
import { gather, type Reader } from '#lib/platform/http/paging.ts';
import { queryMerged } from '#lib/platform/table/pages.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import type { AuditItem } from './entry.ts';
import { type AuditFilter, fits } from './query.ts';

/** Access pattern: the tenant's buckets of entries, merged, newest or oldest first. */

/** What one call looks at, however little of it fits. */
const MAX_SCANNED = 2_000;
const WALKED_AT_ONCE = 200;
/** The least that is read of a bucket, as an entry may lie in any of them. */
const MIN_PER_BUCKET = 10;

/**
 * Who reads oldest first, and goes on from there later, must miss no entry that was still being written. Its time is at
 * most four seconds older than the first try to write it (write.ts), and a client of the table gives up after nine.
 */
const SETTLED_MS = 15_000;

type LogPage = { values: AuditItem[]; next?: string };

/**
 * Entries that fit, up to `limit` of them; fewer where 2,000 were looked at.
 * @param asked `order`: desc is newest first, and `next` is there while more remains. asc is oldest first, up to 15 s
 *   ago, and `next` is always there: from there on, a later call finds what was added since. `after`: such a position
 */
export async function readLog(
  { ports, keys, tenant }: Env<'table' | 'clock' | 'settings'> & { tenant: string },
  wanted: AuditFilter,
  asked: { order: 'asc' | 'desc'; after?: string | undefined; limit: number },
): Promise<LogPage> {
  const now = ports.clock.now();
  const { since = 0, until = Number.POSITIVE_INFINITY } = wanted;
  // The table may keep an entry for days after its time.
  const from = Math.max(since, now - ports.settings.AUDIT_DAYS * DAY_MS);
  const to = asked.order === 'asc' ? Math.min(until, now - SETTLED_MS) : until;
  let walked = 0;
  let at = asked.after;

  const { kind, action, actor, target } = wanted;
  const isPicky = [kind, action, actor, target].some((one) => one !== undefined);
  const read: Reader<AuditItem> = async (after, room) => {
    const limit = isPicky ? WALKED_AT_ONCE : room;
    const { items, next } = await queryMerged<AuditItem>(
      ports.table,
      keys.buckets.map((bucket) => keys.audit(tenant, bucket)),
      {
        from: stamp(from),
        ...(Number.isFinite(to) && { to: stamp(to) }),
        descending: asked.order === 'desc',
        limit,
        each: Math.max(MIN_PER_BUCKET, Math.ceil(limit / keys.buckets.length)),
        after,
      },
    );
    walked += items.length;
    at = items.at(-1)?.sk ?? at;
    const found = items.filter((item) => fits(item, item.within, wanted)).map((value) => ({ at: value.sk, value }));
    return { found, next, enough: walked >= MAX_SCANNED };
  };
  const { values, next } = await gather(read, { after: asked.after, limit: asked.limit });
  if (next !== undefined) return { values, next };
  return asked.order === 'asc' ? { values, next: at ?? stamp(from) } : { values };
}
