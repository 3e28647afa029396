import type { EntityBucket } from '#lib/health/rollups/bucket.ts';
import type { Bucket } from './history-bar.ts';

/** Hours of the bar of an entity. */
const BAR_HOURS = 24;
const HOUR = 3_600_000;
/** An hour is rolled up some minutes after its end; until then it would have to be asked for again. */
const ROLLED_UP_MS = 6 * 60_000;
/** So many entities one question may name. */
const MOST_NAMED = 50;

/** The part of a bucket that a bar is made of. */
export type Hour = Pick<EntityBucket, 'from' | 'to' | 'complete' | 'uptime' | 'seconds'>;

/** What is known of the last hours of an entity. */
export type HeldHours = {
  /** Oldest first, without a gap; the last may run still. */
  hours: readonly Hour[];
  /** Epoch ms, of this clock: before then there is nothing new to ask. */
  dueAt: number;
};

/** A question: of which entities, and from when on (ISO 8601; undefined: all hours of the bar). */
type Asked = { ids: readonly string[]; from: string | undefined };

/** From where on there is something to ask: what a late result changes of an hour that is closed is seen next time. */
const openFrom = ({ hours }: HeldHours): string | undefined => hours.find(({ complete }) => !complete)?.from;

/**
 * The next question about the entities in sight: first those of which nothing is known, then those of which an hour is
 * over or that have changed since. All that it names are asked from the same hour on. Undefined when none is due.
 */
export function nextQuestion(
  seen: Iterable<string>,
  held: ReadonlyMap<string, HeldHours>,
  now: number,
): Asked | undefined {
  const byStart = Map.groupBy(
    [...seen].filter((id) => (held.get(id)?.dueAt ?? 0) <= now),
    (id) => {
      const known = held.get(id);
      return known && openFrom(known);
    },
  );
  const [from] = [...byStart.keys()].sort((a, b) => (a ?? '').localeCompare(b ?? ''));
  const ids = byStart.get(from);
  return ids && { ids: ids.slice(0, MOST_NAMED), from };
}

/** When the next of those in sight is due (epoch ms); undefined when none is in sight. */
export function nextDue(seen: Iterable<string>, held: ReadonlyMap<string, HeldHours>): number | undefined {
  const times = [...seen].map((id) => held.get(id)?.dueAt ?? 0);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** What is known after an answer. @param now epoch ms, of this clock, which may differ from the service's */
export function heldAfter(before: HeldHours | undefined, answer: readonly Hour[], now: number): HeldHours {
  const first = answer[0]?.from ?? '';
  const hours = [...(before?.hours ?? []).filter(({ from }) => from < first), ...answer].slice(-BAR_HOURS);
  const upTo = Date.parse(hours.at(-1)?.to ?? '');
  // The hour that runs is over then, by the clock of the service; to roll one up takes some minutes.
  const rest = Number.isNaN(upTo) || upTo % HOUR === 0 ? HOUR : HOUR - (upTo % HOUR);
  const isLate = hours.slice(0, -1).some(({ complete }) => !complete);
  return { hours, dueAt: now + (isLate ? Math.min(rest, ROLLED_UP_MS) : rest + ROLLED_UP_MS) };
}

/** The hours as a bar has them. */
export const barOf = ({ hours }: HeldHours): Bucket[] => hours.map(({ from, to, uptime: up }) => ({ from, to, up }));
