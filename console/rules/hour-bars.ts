import type { StatusEntity } from '#console/api/records.ts';
import type { EntityBucket } from '#lib/history/rollups/buckets.ts';

const BAR_HOURS = 24;
const HOUR = 3_600_000;
const MAX_IDS = 50;

/** Properties of a bucket that a bar uses. */
export type Hour = Pick<EntityBucket, 'from' | 'to' | 'complete' | 'seconds' | 'mean_latency_ms'>;

export type CachedHours = {
  /** Oldest first, contiguous; the last hour can be incomplete. */
  hours: readonly Hour[];
  /** Time at which another hour can be read, in epoch ms of the browser clock. */
  dueAt: number;
};

type Row = Pick<StatusEntity, 'state' | 'state_since'>;
/** Returns the state of an entity; undefined if unknown. */
export type RowOf = (id: string) => Row | undefined;

/** Entities and time range of a request; the range as a query: `&to=…`, `&from=…&to=…` or `&from=…`. */
type HistoryQuery = { ids: readonly string[]; range: string };

const iso = (at: number): string => new Date(at).toISOString();
const startOfHour = (at: number): number => Math.floor(at / HOUR) * HOUR;
const endOf = ({ hours }: CachedHours): string => hours.at(-1)!.to;

/** Returns the end of the complete hours, which are never read again. */
const openFrom = (cached: CachedHours): string => cached.hours.find(({ complete }) => !complete)?.from ?? endOf(cached);

const hasChanged = (cached: CachedHours, row: Row | undefined): boolean =>
  row !== undefined && row.state_since > endOf(cached);

/**
 * Returns the range to read; undefined if nothing is due. Rolled-up hours are read first, because they cost a third of
 * other hours. They end before the last complete hour, because a rollup takes up to an hour.
 */
function rangeOf(cached: CachedHours | undefined, row: Row | undefined, now: number): string | undefined {
  if (cached && cached.dueAt > now) return hasChanged(cached, row) ? `&from=${openFrom(cached)}` : undefined;
  const to = startOfHour(now) - HOUR;
  // Without `from`, the API returns the day before `to`.
  const from = cached && openFrom(cached) > iso(to - BAR_HOURS * HOUR) ? `&from=${openFrom(cached)}` : '';
  return `${from}&to=${iso(to)}`;
}

/** Returns the next request for the visible entities, uncached ones first; undefined if none is due. */
export function nextRequest(
  visible: Iterable<string>,
  cached: ReadonlyMap<string, CachedHours>,
  rowOf: RowOf,
  now: number,
): HistoryQuery | undefined {
  const byRange = Map.groupBy(visible, (id) => rangeOf(cached.get(id), rowOf(id), now) ?? '');
  byRange.delete('');
  // `&to=…`, the range of uncached entities, sorts last.
  const range = [...byRange.keys()].sort().at(-1);
  return range === undefined ? undefined : { ids: byRange.get(range)!.slice(0, MAX_IDS), range };
}

/** Returns when the next visible entity is due (epoch ms); undefined if none is visible. */
export function nextDue(
  visible: Iterable<string>,
  cached: ReadonlyMap<string, CachedHours>,
  rowOf: RowOf,
): number | undefined {
  const times = Array.from(visible, (id) => {
    const known = cached.get(id);
    return known && !hasChanged(known, rowOf(id)) ? known.dueAt : 0;
  });
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Merges a response (at least one hour) into the cache. @param now epoch ms of the browser clock */
export function cachedAfter(before: CachedHours | undefined, response: readonly Hour[], now: number): CachedHours {
  const first = response[0]!.from;
  const hours = [...(before?.hours ?? []).filter(({ from }) => from < first), ...response].slice(-BAR_HOURS);
  // An hour is read when the next one is over. A wrong browser clock causes at most one read an hour.
  return { hours, dueAt: startOfHour(Math.max(Date.parse(hours.at(-1)!.to) + HOUR, now)) + HOUR };
}

const NO_SECONDS: Hour['seconds'] = {
  up: 0,
  degraded: 0,
  down: 0,
  unknown: 0,
  gap: 0,
  maintenance: 0,
  not_monitored: 0,
};

/** Returns the last 24 hours, including the current one: cached hours, then the current state of the entity. */
export function barHours(cached: CachedHours, row: Row | undefined, now: number): Hour[] {
  const hours = [...cached.hours];
  for (let at = Date.parse(endOf(cached)); at < now; at = startOfHour(at) + HOUR) {
    const begun = at % HOUR === 0 ? undefined : hours.pop();
    const to = Math.min(startOfHour(at) + HOUR, now);
    const state = row && row.state_since <= iso(at) ? row.state : 'unknown';
    const seconds = { ...(begun?.seconds ?? NO_SECONDS) };
    seconds[state] += (to - at) / 1000;
    const mean_latency_ms = begun?.mean_latency_ms ?? null;
    hours.push({ from: begun?.from ?? iso(at), to: iso(to), complete: false, seconds, mean_latency_ms });
  }
  return hours.slice(-BAR_HOURS);
}
