import type { EntityState } from '#lib/catalog/states.ts';
import type { Span } from '#lib/health/history/gap-causes.ts';
import { type Accounted, type AccountedSpan, divide } from '#lib/health/rollups/accounted-span.ts';

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
  monitored: readonly Span[];
  /** When it was due and not watched. */
  gaps: readonly Span[];
  /** When a maintenance window covered it that is excluded from uptime. */
  maintenance: readonly Span[];
};

/**
 * What a check was in each part of a window (docs/CONTRACT.md#history): not monitored, or a gap, or its state, and
 * whether maintenance hides that. `timeOf` adds it up.
 */
export function accountTime({ changes, monitored, gaps, maintenance }: KnownTime, window: Span): AccountedSpan[] {
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
function covering(spans: readonly Span[]): (at: number) => boolean {
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
