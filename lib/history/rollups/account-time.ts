import type { EntityState } from '#lib/catalog/states.ts';
import { aggregate } from '#lib/checks/state/next-state.ts';
import type { TimeRange } from '#lib/history/runs/gaps.ts';

/**
 * What the time of a check or entity is divided among (docs/use/states-and-history.md#history): an instant is one of
 * these.
 */
export const TIME_KINDS = ['up', 'degraded', 'down', 'unknown', 'gap', 'maintenance', 'not_monitored'] as const;
export type TimeKind = (typeof TIME_KINDS)[number];

/** What an instant is, apart from maintenance. */
export type Accounted = {
  as: EntityState | 'gap' | 'not_monitored';
  /** A window that is excluded from uptime hides what it is; never of time that is not monitored. */
  in_maintenance: boolean;
};

/** Time in which that stays the same. A list of them is ascending and covers its window without a hole. */
export type AccountedSpan = TimeRange & Accounted;

/** How long (ms) it was what; `ms` adds up to the length of the window exactly. */
export type AccountedTime = {
  ms: Record<TimeKind, number>;
  /** Of `ms.maintenance`, what would have been down without it. */
  down_in_maintenance_ms: number;
};

export const noTime = (): AccountedTime => ({
  ms: { up: 0, degraded: 0, down: 0, unknown: 0, gap: 0, maintenance: 0, not_monitored: 0 },
  down_in_maintenance_ms: 0,
});

/** Adds up spans; of none, nothing. */
export function timeOf(spans: readonly AccountedSpan[]): AccountedTime {
  const time = noTime();
  for (const { from, to, as, in_maintenance } of spans) {
    time.ms[in_maintenance ? 'maintenance' : as] += to - from;
    if (in_maintenance && as === 'down') time.down_in_maintenance_ms += to - from;
  }
  return time;
}

/**
 * A window divided where what an instant is may change.
 * @param instants where it may, in any order; those outside the window do not count
 * @param judge what the time from an instant on is; asked in ascending order
 * @returns as few spans as say it; none of an empty window
 */
export function divide(
  window: TimeRange,
  instants: Iterable<number>,
  judge: (at: number) => Accounted,
): AccountedSpan[] {
  if (window.from >= window.to) return [];
  const inside = new Set([...instants].filter((at) => at > window.from && at < window.to));
  const spans: AccountedSpan[] = [];
  for (const from of [window.from, ...[...inside].toSorted((a, b) => a - b)]) {
    const { as, in_maintenance } = judge(from);
    const last = spans.at(-1);
    if (last?.as === as && last.in_maintenance === in_maintenance) continue;
    if (last) last.to = from;
    spans.push({ from, to: window.to, as, in_maintenance });
  }
  return spans;
}

/** From `at` (epoch ms) on a check is in `state`, until another change says otherwise. */
type StateChange = { at: number; state: EntityState };

/** What is known of the time of a check. Spans of one kind may overlap, lie in any order, and reach out of a window. */
export type KnownTime = {
  /**
   * In the order in which they were decided, each with the instant from which it counts: for an outage its first
   * failed run, for its end the first successful run. Before the first of them the state is unknown. A later decision
   * may reach back behind an earlier one: what holds at an instant is the last in the list that had begun by then.
   */
  changes: readonly StateChange[];
  /** When it existed and was enabled. */
  monitored: readonly TimeRange[];
  /** When it was due and not watched. */
  gaps: readonly TimeRange[];
  /** When a maintenance window covered it that is excluded from uptime. */
  maintenance: readonly TimeRange[];
};

/**
 * What a check was in each part of a window (docs/use/states-and-history.md#history): not monitored, or a gap, or its
 * state, and whether maintenance hides that. `timeOf` adds it up.
 */
export function accountTime({ changes, monitored, gaps, maintenance }: KnownTime, window: TimeRange): AccountedSpan[] {
  const borders = [...monitored, ...gaps, ...maintenance].flatMap(({ from, to }) => [from, to]);
  const isMonitored = covering(monitored);
  const isGap = covering(gaps);
  const isMaintenance = covering(maintenance);
  const stateAt = statesIn(changes);
  return divide(window, [...changes.map(({ at }) => at), ...borders], (at): Accounted => {
    const [monitoredNow, gapNow, in_maintenance, state] = [isMonitored(at), isGap(at), isMaintenance(at), stateAt(at)];
    if (!monitoredNow) return { as: 'not_monitored', in_maintenance: false };
    return { as: gapNow ? 'gap' : state, in_maintenance };
  });
}

/** Whether any of the spans covers an instant; to be asked in ascending order. */
function covering(spans: readonly TimeRange[]): (at: number) => boolean {
  const ascending = spans.toSorted((a, b) => a.from - b.from);
  let i = 0;
  let until = Number.NEGATIVE_INFINITY;
  return (at) => {
    for (; i < ascending.length && ascending[i]!.from <= at; i++) until = Math.max(until, ascending[i]!.to);
    return at < until;
  };
}

/** The state at an instant; to be asked in ascending order. */
function statesIn(changes: readonly StateChange[]): (at: number) => EntityState {
  const ascending = changes.map((change, order) => ({ ...change, order })).toSorted((a, b) => a.at - b.at);
  let i = 0;
  let holds: { state: EntityState; order: number } = { state: 'unknown', order: -1 };
  return (at) => {
    for (; i < ascending.length && ascending[i]!.at <= at; i++) {
      if (ascending[i]!.order > holds.order) holds = ascending[i]!;
    }
    return holds.state;
  };
}

/**
 * What an entity was in each part of a window, from what its checks were (docs/use/states-and-history.md#history).
 * @param checks the spans of each check that it had in the window; time outside of them counts as not monitored
 */
export function entityTime(checks: readonly (readonly AccountedSpan[])[], window: TimeRange): AccountedSpan[] {
  const borders = checks.flat().flatMap(({ from, to }) => [from, to]);
  const cursors = checks.map(spanIn);
  return divide(window, borders, (at) => together(cursors.flatMap((spanAt) => spanAt(at) ?? [])));
}

/** Checks in maintenance count only where all are: then the entity is, and what that hides is what they would make. */
function together(checks: readonly Accounted[]): Accounted {
  const monitored = checks.filter(({ as }) => as !== 'not_monitored');
  if (monitored.length === 0) return { as: 'not_monitored', in_maintenance: false };
  const counted = monitored.filter(({ in_maintenance }) => !in_maintenance);
  const in_maintenance = counted.length === 0;
  const states = (in_maintenance ? monitored : counted)
    .map(({ as }) => as)
    .filter((as) => as !== 'gap' && as !== 'not_monitored');
  return { as: states.length === 0 ? 'gap' : aggregate(Object.fromEntries(states.entries())), in_maintenance };
}

/** The span that holds an instant; to be asked in ascending order. */
function spanIn(spans: readonly AccountedSpan[]): (at: number) => AccountedSpan | undefined {
  let i = 0;
  return (at) => {
    while (i < spans.length && spans[i]!.to <= at) i++;
    return spans[i] && spans[i]!.from <= at ? spans[i] : undefined;
  };
}
