import type { EntityState } from '#lib/catalog/states.ts';
import type { Span } from '#lib/health/history/gap-causes.ts';

/** What the time of a check or entity is divided among (docs/CONTRACT.md#history): an instant is one of these. */
export const TIME_KINDS = ['up', 'degraded', 'down', 'unknown', 'gap', 'maintenance', 'not_monitored'] as const;
export type TimeKind = (typeof TIME_KINDS)[number];

/** What an instant is, apart from maintenance. */
export type Accounted = {
  as: EntityState | 'gap' | 'not_monitored';
  /** A window that is excluded from uptime hides what it is; never of time that is not monitored. */
  in_maintenance: boolean;
};

/** Time in which that stays the same. A list of them is ascending and covers its window without a hole. */
export type AccountedSpan = Span & Accounted;

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
export function divide(window: Span, instants: Iterable<number>, judge: (at: number) => Accounted): AccountedSpan[] {
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
