import type { EntityState } from '#lib/catalog/states.ts';
import { aggregate } from '#lib/checks/state/next-state.ts';
import type { TimeRange } from '#lib/history/results/gaps.ts';

/** Kinds of time, mutually exclusive (docs/use/states-and-history.md#history). */
export const TIME_KINDS = ['up', 'degraded', 'down', 'unknown', 'gap', 'maintenance', 'not_monitored'] as const;
export type TimeKind = (typeof TIME_KINDS)[number];

export type Classified = {
  as: EntityState | 'gap' | 'not_monitored';
  /** Whether a maintenance window with `exclude_from_uptime` covers it; always false while not monitored. */
  in_maintenance: boolean;
};

/** Time range of one kind. Lists are ascending and cover their range without holes. */
export type ClassifiedSpan = TimeRange & Classified;

/** Milliseconds of each kind; `ms` adds up to the length of the range exactly. */
export type TimeByKind = {
  ms: Record<TimeKind, number>;
  /** Part of `ms.maintenance` that would have been down without maintenance. */
  down_in_maintenance_ms: number;
};

export const zeroTime = (): TimeByKind => ({
  ms: { up: 0, degraded: 0, down: 0, unknown: 0, gap: 0, maintenance: 0, not_monitored: 0 },
  down_in_maintenance_ms: 0,
});

/** Sums the durations of spans by kind; all zero without spans. */
export function timeOf(spans: readonly ClassifiedSpan[]): TimeByKind {
  const time = zeroTime();
  for (const { from, to, as, in_maintenance } of spans) {
    time.ms[in_maintenance ? 'maintenance' : as] += to - from;
    if (in_maintenance && as === 'down') time.down_in_maintenance_ms += to - from;
  }
  return time;
}

/** Divides a range at instants, given in any order, and merges equal neighbors. Calls `kindAt` in ascending order. */
export function divide(
  range: TimeRange,
  instants: Iterable<number>,
  kindAt: (at: number) => Classified,
): ClassifiedSpan[] {
  if (range.from >= range.to) return [];
  const inside = new Set([...instants].filter((at) => at > range.from && at < range.to));
  const spans: ClassifiedSpan[] = [];
  for (const from of [range.from, ...[...inside].toSorted((a, b) => a - b)]) {
    const { as, in_maintenance } = kindAt(from);
    const last = spans.at(-1);
    if (last?.as === as && last.in_maintenance === in_maintenance) continue;
    if (last) last.to = from;
    spans.push({ from, to: range.to, as, in_maintenance });
  }
  return spans;
}

type StateChange = { at: number; state: EntityState };

/** Data to classify a range. Its lists of ranges may be unordered, overlap, and extend beyond that range. */
export type TimeSources = {
  /**
   * State changes in the order of their decision, each with the instant from which it counts. A later change can count
   * from an earlier instant. The last in the list that already counts applies; before the first, the state is unknown.
   */
  changes: readonly StateChange[];
  monitored: readonly TimeRange[];
  gaps: readonly TimeRange[];
  /** Times covered by maintenance windows that are excluded from uptime. */
  maintenance: readonly TimeRange[];
};

/** Classifies each part of a range as not monitored, a gap or a state, and by whether maintenance hides it. */
export function classifyTime(
  { changes, monitored, gaps, maintenance }: TimeSources,
  range: TimeRange,
): ClassifiedSpan[] {
  const borders = [...monitored, ...gaps, ...maintenance].flatMap(({ from, to }) => [from, to]);
  const isMonitored = coverageOf(monitored);
  const isGap = coverageOf(gaps);
  const isMaintenance = coverageOf(maintenance);
  const stateAt = statesIn(changes);
  return divide(range, [...changes.map(({ at }) => at), ...borders], (at): Classified => {
    const [monitoredNow, gapNow, in_maintenance, state] = [isMonitored(at), isGap(at), isMaintenance(at), stateAt(at)];
    if (!monitoredNow) return { as: 'not_monitored', in_maintenance: false };
    return { as: gapNow ? 'gap' : state, in_maintenance };
  });
}

/** Returns a function from an instant to whether any of the spans covers it; call it in ascending order. */
function coverageOf(spans: readonly TimeRange[]): (at: number) => boolean {
  const ascending = spans.toSorted((a, b) => a.from - b.from);
  let i = 0;
  let until = Number.NEGATIVE_INFINITY;
  return (at) => {
    for (; i < ascending.length && ascending[i]!.from <= at; i++) until = Math.max(until, ascending[i]!.to);
    return at < until;
  };
}

/** Returns a function from an instant to the state that counts then; call it in ascending order. */
function statesIn(changes: readonly StateChange[]): (at: number) => EntityState {
  const ascending = changes.map((change, order) => ({ ...change, order })).toSorted((a, b) => a.at - b.at);
  let i = 0;
  let current: { state: EntityState; order: number } = { state: 'unknown', order: -1 };
  return (at) => {
    for (; i < ascending.length && ascending[i]!.at <= at; i++) {
      if (ascending[i]!.order > current.order) current = ascending[i]!;
    }
    return current.state;
  };
}

/** Derives the time of an entity from the spans of its checks; a check is not monitored outside its spans. */
export function entityTime(checks: readonly (readonly ClassifiedSpan[])[], range: TimeRange): ClassifiedSpan[] {
  const borders = checks.flat().flatMap(({ from, to }) => [from, to]);
  const cursors = checks.map(spanReader);
  return divide(range, borders, (at) => combine(cursors.flatMap((spanAt) => spanAt(at) ?? [])));
}

/**
 * Combines the kinds of the checks of an entity at an instant. Checks in maintenance count only if all monitored checks
 * are in maintenance; then maintenance hides the state of the entity.
 */
function combine(checks: readonly Classified[]): Classified {
  const monitored = checks.filter(({ as }) => as !== 'not_monitored');
  if (monitored.length === 0) return { as: 'not_monitored', in_maintenance: false };
  const counted = monitored.filter(({ in_maintenance }) => !in_maintenance);
  const in_maintenance = counted.length === 0;
  const states = (in_maintenance ? monitored : counted)
    .map(({ as }) => as)
    .filter((as) => as !== 'gap' && as !== 'not_monitored');
  return { as: states.length === 0 ? 'gap' : aggregate(Object.fromEntries(states.entries())), in_maintenance };
}

function spanReader(spans: readonly ClassifiedSpan[]): (at: number) => ClassifiedSpan | undefined {
  let i = 0;
  return (at) => {
    while (i < spans.length && spans[i]!.to <= at) i++;
    return spans[i] && spans[i]!.from <= at ? spans[i] : undefined;
  };
}
