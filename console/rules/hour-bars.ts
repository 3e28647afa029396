import type { StatusEntity } from '#console/api/records.ts';
import type { EntityBucket } from '#lib/history/rollups/buckets.ts';

/** Hours of the bar of an entity. */
const BAR_HOURS = 24;
const HOUR = 3_600_000;
/** So many entities one question may name. */
const MAX_NAMED = 50;

/** The part of a bucket that a bar is made of. */
export type Hour = Pick<EntityBucket, 'from' | 'to' | 'complete' | 'seconds'>;

/** What was read of the last hours of an entity. */
export type CachedHours = {
  /** Oldest first, without a gap; the last may end within its hour. */
  hours: readonly Hour[];
  /** Epoch ms, of this clock: then another hour is rolled up. */
  dueAt: number;
};

/** What the fleet tells of an entity. */
type Row = Pick<StatusEntity, 'state' | 'state_since'>;
/** Looks up the row of an entity; undefined while it is not known. */
export type RowOf = (id: string) => Row | undefined;

/** A question: of which entities, and of which span, as a query: `&to=…`, `&from=…&to=…` or `&from=…`. */
type Question = { ids: readonly string[]; span: string };

const iso = (at: number): string => new Date(at).toISOString();
const hourOf = (at: number): number => Math.floor(at / HOUR) * HOUR;
const endOf = ({ hours }: CachedHours): string => hours.at(-1)!.to;

/** From where on there is something to ask: an hour that was complete is never asked for again. */
const openFrom = (held: CachedHours): string => held.hours.find(({ complete }) => !complete)?.from ?? endOf(held);

/** Whether the state changed behind what was read, so that it does not tell of all the time since. */
const hasChanged = (held: CachedHours, row: Row | undefined): boolean =>
  row !== undefined && row.state_since > endOf(held);

/**
 * What to ask of an entity; undefined when nothing is due. Hours that are rolled up are read at a third of the price:
 * they are asked for first, up to the one before the last that is over, as a roll-up takes up to an hour. The hours
 * behind them are read only where the state changed in them.
 */
function spanOf(held: CachedHours | undefined, row: Row | undefined, now: number): string | undefined {
  if (held && held.dueAt > now) return hasChanged(held, row) ? `&from=${openFrom(held)}` : undefined;
  const to = hourOf(now) - HOUR;
  // Left out, it is a day before `to`.
  const from = held && openFrom(held) > iso(to - BAR_HOURS * HOUR) ? `&from=${openFrom(held)}` : '';
  return `${from}&to=${iso(to)}`;
}

/** The next question about the entities in sight, those of which nothing is known first; undefined when none is due. */
export function nextQuestion(
  seen: Iterable<string>,
  held: ReadonlyMap<string, CachedHours>,
  rowOf: RowOf,
  now: number,
): Question | undefined {
  const bySpan = Map.groupBy(seen, (id) => spanOf(held.get(id), rowOf(id), now) ?? '');
  bySpan.delete('');
  // `&to=…` is the last by the alphabet.
  const span = [...bySpan.keys()].sort().at(-1);
  return span === undefined ? undefined : { ids: bySpan.get(span)!.slice(0, MAX_NAMED), span };
}

/** When the next of those in sight is due (epoch ms); undefined when none is in sight. */
export function nextDue(
  seen: Iterable<string>,
  held: ReadonlyMap<string, CachedHours>,
  rowOf: RowOf,
): number | undefined {
  const times = Array.from(seen, (id) => {
    const known = held.get(id);
    return known && !hasChanged(known, rowOf(id)) ? known.dueAt : 0;
  });
  return times.length > 0 ? Math.min(...times) : undefined;
}

/**
 * What is known after an answer.
 * @param answer one hour at least
 * @param now epoch ms, of this clock, which may differ from the service's
 */
export function cachedAfter(before: CachedHours | undefined, answer: readonly Hour[], now: number): CachedHours {
  const first = answer[0]!.from;
  const hours = [...(before?.hours ?? []).filter(({ from }) => from < first), ...answer].slice(-BAR_HOURS);
  // An hour is asked for when the one after it is over, and at most once an hour, whatever this clock shows.
  return { hours, dueAt: hourOf(Math.max(Date.parse(hours.at(-1)!.to) + HOUR, now)) + HOUR };
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

/**
 * The last 24 hours, the one that runs among them: what was read, and behind it the state of the entity. Time before
 * that state began is unknown until it is read.
 */
export function barHours(held: CachedHours, row: Row | undefined, now: number): Hour[] {
  const hours = [...held.hours];
  for (let at = Date.parse(endOf(held)); at < now; at = hourOf(at) + HOUR) {
    const begun = at % HOUR === 0 ? undefined : hours.pop();
    const to = Math.min(hourOf(at) + HOUR, now);
    const state = row && row.state_since <= iso(at) ? row.state : 'unknown';
    const seconds = { ...(begun?.seconds ?? NO_SECONDS) };
    seconds[state] += (to - at) / 1000;
    hours.push({ from: begun?.from ?? iso(at), to: iso(to), complete: false, seconds });
  }
  return hours.slice(-BAR_HOURS);
}
