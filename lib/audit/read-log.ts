import type { Env } from '#lib/env.ts';
import { stamp } from '#lib/keys.ts';
import { gather, type Reader } from '#lib/platform/http/paging.ts';
import { queryMerged } from '#lib/platform/table/pages.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import type { AuditItem } from './entry.ts';
import { type AuditFilter, matches } from './query.ts';

const MAX_SCANNED = 2_000;
const SCAN_PAGE = 200;
/** Minimum number of entries read per bucket. The entries are spread evenly over the buckets. */
const MIN_PER_BUCKET = 10;

/** Age (ms) from which the log is complete: an entry is written up to 4 s late (write.ts), plus 9 s of retries. */
const SETTLED_MS = 15_000;

type LogPage = { values: AuditItem[]; next?: string };

/**
 * Reads up to `limit` matching entries; fewer after scanning 2,000. `desc`: newest first, with `next` if more remain.
 * `asc`: oldest first, up to 15 s ago, always with `next` to find new entries. `after`: `next` of an earlier call.
 */
export async function readLog(
  { ports, keys, tenant }: Env<'table' | 'clock' | 'settings'> & { tenant: string },
  filter: AuditFilter,
  options: { order: 'asc' | 'desc'; after?: string | undefined; limit: number },
): Promise<LogPage> {
  const now = ports.clock.now();
  const { since = 0, until = Number.POSITIVE_INFINITY } = filter;
  // The table may keep an entry for days after its expiry.
  const from = Math.max(since, now - ports.settings.AUDIT_DAYS * DAY_MS);
  const to = options.order === 'asc' ? Math.min(until, now - SETTLED_MS) : until;
  let scanned = 0;
  let at = options.after;

  const { kind, action, actor, target } = filter;
  const isFiltered = [kind, action, actor, target].some((one) => one !== undefined);
  const read: Reader<AuditItem> = async (after, room) => {
    const limit = isFiltered ? SCAN_PAGE : room;
    const { items, next } = await queryMerged<AuditItem>(
      ports.table,
      keys.buckets.map((bucket) => keys.audit(tenant, bucket)),
      {
        from: stamp(from),
        ...(Number.isFinite(to) && { to: stamp(to) }),
        descending: options.order === 'desc',
        limit,
        each: Math.max(MIN_PER_BUCKET, Math.ceil(limit / keys.buckets.length)),
        after,
      },
    );
    scanned += items.length;
    at = items.at(-1)?.sk ?? at;
    const found = items.filter((item) => matches(item, item.within, filter)).map((value) => ({ at: value.sk, value }));
    return { found, next, enough: scanned >= MAX_SCANNED };
  };
  const { values, next } = await gather(read, { after: options.after, limit: options.limit });
  if (next !== undefined) return { values, next };
  return options.order === 'asc' ? { values, next: at ?? stamp(from) } : { values };
}
