import type { EntityState } from '#lib/catalog/states.ts';
import type { Outcome } from '#lib/checks/outcome.ts';
import type { GapCause, TimeRange } from '#lib/history/results/gaps.ts';
import type { IntervalSchedule } from '#lib/schedule/slots.ts';

const MINUTE = 60_000;

/** Reference data of a check: its changes and results; times in epoch ms. */
export type Reference = {
  mode: 'pull' | 'push';
  /** Settings with their starts, ascending. */
  settings: { from: number; enabled: boolean; rhythm: IntervalSchedule }[];
  /** Results. `at`: the slot, or a later change of settings; for a push, its `checked_at`. */
  runs: { at: number; outcome: Outcome; latency: number }[];
  /** Recorded causes of gaps, by slot. */
  noted: Map<number, 'network' | 'error'>;
  /** State changes in the order of their decision. */
  states: { from: number; state: EntityState }[];
  /** Time ranges in which maintenance excludes the check from uptime. */
  maintenance: TimeRange[];
};

export type Naive = {
  runs: number;
  failures: number;
  warnings: number;
  gaps: Record<GapCause, number>;
  ms: Record<EntityState | 'gap' | 'maintenance' | 'not_monitored', number>;
  /** Time (ms) in maintenance that would have been down. */
  hidden: number;
  latencies: number[];
};

type Missed = TimeRange & { cause: GapCause };

/** `reach`: time (ms) after a slot in which an outage cuts off its probe. `end`: end of the history (epoch ms). */
export type Bounds = { reach: number; end: number };

/** Returns the figures of a range by the reference implementation (docs/use/states-and-history.md#history). */
export function naiveFigures(reference: Reference, outages: TimeRange[], window: TimeRange, bounds: Bounds): Naive {
  const runs = reference.runs.filter(({ at }) => window.from <= at && at < window.to);
  const missed =
    reference.mode === 'push' ? missedPushes(reference, outages, bounds) : missedSlots(reference, outages, bounds);
  const gaps = { late: 0, outage: 0, network: 0, error: 0, cpu_budget: 0 };
  for (const { from, cause } of missed) if (window.from <= from && from < window.to) gaps[cause] += 1;
  const kindAt = (at: number) => kindOf(reference, reference.mode === 'push' ? outages : missed, at);
  const borders = bordersOf(reference, [...outages, ...missed]);
  const isHiddenDown = (at: number) => isHidden(reference, at) && kindAt(at) === 'down';
  return {
    runs: runs.length,
    failures: runs.filter(({ outcome }) => outcome === 'fail').length,
    warnings: runs.filter(({ outcome }) => outcome === 'warn').length,
    gaps,
    ms: timeIn(window, borders, (at) => (isHidden(reference, at) ? 'maintenance' : kindAt(at))),
    hidden: timeIn(window, borders, (at) => (isHiddenDown(at) ? 'down' : 'up')).down,
    latencies: runs.filter(({ outcome }) => outcome !== 'fail').map(({ latency }) => latency),
  };
}

/** Returns the time of an entity by kind, from the states of its checks. */
export function naiveEntityTime(
  all: Reference[],
  outages: TimeRange[],
  window: TimeRange,
  bounds: Bounds,
): Naive['ms'] {
  const missed = all.map((reference) =>
    reference.mode === 'push' ? outages : missedSlots(reference, outages, bounds),
  );
  const borders = all.flatMap((reference, i) => bordersOf(reference, missed[i]!));
  return timeIn(window, borders, (at) => {
    const monitored = all
      .map((reference, i) => ({ kind: kindOf(reference, missed[i]!, at), hidden: isHidden(reference, at) }))
      .filter(({ kind }) => kind !== 'not_monitored');
    if (monitored.length === 0) return 'not_monitored';
    const kinds = monitored.flatMap(({ kind, hidden }) => (hidden ? [] : kind));
    if (kinds.length === 0) return 'maintenance';
    const watched = kinds.filter((kind) => kind !== 'gap');
    if (watched.length === 0) return 'gap';
    const states = watched.filter((kind) => kind !== 'unknown');
    const [first = 'unknown'] = states;
    return states.every((kind) => kind === first) ? first : 'degraded';
  });
}

const bordersOf = (reference: Reference, spans: TimeRange[]): number[] => [
  ...reference.settings.map(({ from }) => from),
  ...reference.states.map(({ from }) => from),
  ...[...spans, ...reference.maintenance].flatMap(({ from, to }) => [from, to]),
];

/** Whether maintenance replaces the kind of an instant. */
const isHidden = (reference: Reference, at: number): boolean =>
  reference.maintenance.some(({ from, to }) => from <= at && at < to) &&
  reference.settings.findLast(({ from }) => from <= at)?.enabled === true;

function timeIn<Kind extends keyof Naive['ms']>(window: TimeRange, borders: number[], kindAt: (at: number) => Kind) {
  const inside = [...new Set([window.from, ...borders, window.to])]
    .filter((at) => window.from <= at && at <= window.to)
    .sort((a, b) => a - b);
  const ms = { up: 0, degraded: 0, down: 0, unknown: 0, gap: 0, maintenance: 0, not_monitored: 0 };
  for (const [i, to] of inside.slice(1).entries()) ms[kindAt(inside[i]!)] += to - inside[i]!;
  return ms;
}

function kindOf(reference: Reference, gaps: TimeRange[], at: number): keyof Naive['ms'] {
  if (!reference.settings.findLast(({ from }) => from <= at)?.enabled) return 'not_monitored';
  if (gaps.some(({ from, to }) => from <= at && at < to)) return 'gap';
  return reference.states.findLast(({ from }) => from <= at)?.state ?? 'unknown';
}

/** Returns the due slots without a result. */
function missedSlots({ settings, runs, noted }: Reference, outages: TimeRange[], { reach, end }: Bounds): Missed[] {
  const ran = new Set(runs.map(({ at }) => at));
  return settings.flatMap(({ from, enabled, rhythm }, i) => {
    if (!enabled) return [];
    const until = settings[i + 1]?.from ?? end;
    const waited = Math.min(rhythm.interval_ms, 4 * MINUTE);
    const due = slotsIn(rhythm, from, until).filter((slot) => slot + waited <= until && !ran.has(slot));
    return due.map((slot): Missed => {
      const inOutage = outages.some((outage) => outage.from <= slot && slot < outage.to);
      const isCutOff = outages.some((outage) => slot < outage.from && outage.from <= slot + reach);
      const cause = inOutage ? 'outage' : (noted.get(slot) ?? (isCutOff ? 'outage' : 'late'));
      return { from: slot, to: Math.min(slot + rhythm.interval_ms, until), cause };
    });
  });
}

/** Returns the slots of a push check in service outages. */
const missedPushes = ({ settings }: Reference, outages: TimeRange[], { end }: Bounds): Missed[] =>
  settings.flatMap(({ from, enabled, rhythm }, i) =>
    slotsIn(rhythm, from, enabled ? (settings[i + 1]?.from ?? end) : from)
      .filter((slot) => outages.some((outage) => outage.from <= slot && slot < outage.to))
      .map((slot): Missed => ({ from: slot, to: slot, cause: 'outage' })),
  );

function slotsIn({ phase, interval_ms }: IntervalSchedule, from: number, to: number): number[] {
  const slots: number[] = [];
  for (let at = phase + Math.ceil((from - phase) / interval_ms) * interval_ms; at < to; at += interval_ms)
    slots.push(at);
  return slots;
}
