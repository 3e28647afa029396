import type { EntityState } from '#lib/catalog/states.ts';
import type { Outcome } from '#lib/checks/outcome.ts';
import type { GapCause, TimeRange } from '#lib/history/runs/gaps.ts';
import type { IntervalSchedule } from '#lib/schedule/slots.ts';

const MINUTE = 60_000;

/** What was done to a check and what became of it, told by whoever did it; times in epoch ms. */
export type Told = {
  mode: 'pull' | 'push';
  /** What its settings were from then on, ascending. */
  settings: { from: number; enabled: boolean; rhythm: IntervalSchedule }[];
  /** What counts as run at that time: a probe at its slot, or at the change of settings that it is for. */
  runs: { at: number; outcome: Outcome; latency: number }[];
  /** Why slots have no run, where that was noted. */
  noted: Map<number, 'network' | 'error'>;
  /** In the order in which they were decided. */
  states: { from: number; state: EntityState }[];
};

export type Naive = {
  runs: number;
  failures: number;
  warnings: number;
  gaps: Record<GapCause, number>;
  ms: Record<EntityState | 'gap' | 'not_monitored', number>;
  latencies: number[];
};

type Missed = TimeRange & { cause: GapCause };

/**
 * `reach`: an outage that begins so long (ms) after a slot has cut off its probe. `end`: when the story ended (epoch
 * ms); slots of later are not due.
 */
export type Bounds = { reach: number; end: number };

/** The figures of a window in the plainest words (docs/use/states-and-history.md#history). */
export function naiveFigures(told: Told, outages: TimeRange[], window: TimeRange, bounds: Bounds): Naive {
  const runs = told.runs.filter(({ at }) => window.from <= at && at < window.to);
  const missed = told.mode === 'push' ? missedPushes(told, outages, bounds) : missedSlots(told, outages, bounds);
  const gaps = { late: 0, outage: 0, network: 0, error: 0 };
  for (const { from, cause } of missed) if (window.from <= from && from < window.to) gaps[cause] += 1;
  const kindAt = (at: number) => kindOf(told, told.mode === 'push' ? outages : missed, at);
  return {
    runs: runs.length,
    failures: runs.filter(({ outcome }) => outcome === 'fail').length,
    warnings: runs.filter(({ outcome }) => outcome === 'warn').length,
    gaps,
    ms: timeIn(window, bordersOf(told, [...outages, ...missed]), kindAt),
    latencies: runs.filter(({ outcome }) => outcome !== 'fail').map(({ latency }) => latency),
  };
}

/** Time of an entity: as its state is made, from what its checks are. */
export function naiveEntityTime(all: Told[], outages: TimeRange[], window: TimeRange, bounds: Bounds): Naive['ms'] {
  const missed = all.map((told) => (told.mode === 'push' ? outages : missedSlots(told, outages, bounds)));
  const borders = all.flatMap((told, i) => bordersOf(told, missed[i]!));
  return timeIn(window, borders, (at) => {
    const kinds = all.map((told, i) => kindOf(told, missed[i]!, at)).filter((kind) => kind !== 'not_monitored');
    if (kinds.length === 0) return 'not_monitored';
    const watched = kinds.filter((kind) => kind !== 'gap');
    if (watched.length === 0) return 'gap';
    const states = watched.filter((kind) => kind !== 'unknown');
    const [first = 'unknown'] = states;
    return states.every((kind) => kind === first) ? first : 'degraded';
  });
}

const bordersOf = (told: Told, spans: TimeRange[]): number[] => [
  ...told.settings.map(({ from }) => from),
  ...told.states.map(({ from }) => from),
  ...spans.flatMap(({ from, to }) => [from, to]),
];

function timeIn<Kind extends keyof Naive['ms']>(window: TimeRange, borders: number[], kindAt: (at: number) => Kind) {
  const inside = [...new Set([window.from, ...borders, window.to])]
    .filter((at) => window.from <= at && at <= window.to)
    .sort((a, b) => a - b);
  const ms = { up: 0, degraded: 0, down: 0, unknown: 0, gap: 0, not_monitored: 0 };
  for (const [i, to] of inside.slice(1).entries()) ms[kindAt(inside[i]!)] += to - inside[i]!;
  return ms;
}

function kindOf(told: Told, gaps: TimeRange[], at: number): keyof Naive['ms'] {
  if (!told.settings.findLast(({ from }) => from <= at)?.enabled) return 'not_monitored';
  if (gaps.some(({ from, to }) => from <= at && at < to)) return 'gap';
  return told.states.findLast(({ from }) => from <= at)?.state ?? 'unknown';
}

/** Slots that were due, and waited for until the settings changed, less those that have a run. */
function missedSlots({ settings, runs, noted }: Told, outages: TimeRange[], { reach, end }: Bounds): Missed[] {
  const ran = new Set(runs.map(({ at }) => at));
  return settings.flatMap(({ from, enabled, rhythm }, i) => {
    if (!enabled) return [];
    const until = settings[i + 1]?.from ?? end;
    const waited = Math.min(rhythm.interval_ms, 4 * MINUTE);
    const due = slotsIn(rhythm, from, until).filter((slot) => slot + waited <= until && !ran.has(slot));
    return due.map((slot): Missed => {
      const isOurs = outages.some((outage) => outage.from <= slot && slot < outage.to);
      const isCutOff = outages.some((outage) => slot < outage.from && outage.from <= slot + reach);
      const cause = isOurs ? 'outage' : (noted.get(slot) ?? (isCutOff ? 'outage' : 'late'));
      return { from: slot, to: Math.min(slot + rhythm.interval_ms, until), cause };
    });
  });
}

/** Slots of a push check in our outages. */
const missedPushes = ({ settings }: Told, outages: TimeRange[], { end }: Bounds): Missed[] =>
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
