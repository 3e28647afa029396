import type { GapCause, TimeRange } from '#lib/history/runs/gaps.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import {
  type Accounted,
  type AccountedSpan,
  type AccountedTime,
  noTime,
  TIME_KINDS,
  type TimeKind,
  timeOf,
} from './account-time.ts';
import { type EntityFigures, emptyFigures, type Figures, GAP_CAUSES } from './figures.ts';
import { decodeHistogram, encodeHistogram, type LatencyHistogram } from './latency-histogram.ts';

/** `i` is impaired. Of what maintenance hides, the capital. */
const LETTER = { up: 'u', degraded: 'i', down: 'd', unknown: 'x', gap: 'g', not_monitored: 'n' } as const;

const KINDS = new Map<string, Accounted>(
  namesOf(LETTER).flatMap((as): [string, Accounted][] => [
    [LETTER[as], { as, in_maintenance: false }],
    [LETTER[as].toUpperCase(), { as, in_maintenance: true }],
  ]),
);

/**
 * Spans as text: of each a letter and how long it lasts in ms, which the last one does without, as it lasts to the end.
 * An hour that was up is `u`; one with an outage of a minute, `u1200000d60000u`.
 */
export const spanText = (spans: readonly AccountedSpan[]): string =>
  spans
    .map(({ from, to, as, in_maintenance }, i) => {
      const letter = in_maintenance ? LETTER[as].toUpperCase() : LETTER[as];
      return i === spans.length - 1 ? letter : `${letter}${to - from}`;
    })
    .join('');

/**
 * The spans of such a text.
 * @param window that they cover
 * @throws Error for what is no such text, or does not end at the end of the window
 */
export function spansOf(text: string, window: TimeRange): AccountedSpan[] {
  const spans: AccountedSpan[] = [];
  let at = window.from;
  for (const [, letter = '', length = ''] of text.matchAll(/(\D)(\d*)/g)) {
    const kind = KINDS.get(letter);
    const to = length === '' ? window.to : at + Number(length);
    if (!kind || to <= at) throw new Error(`"${text}" does not say what that time was.`);
    spans.push({ from: at, to, ...kind });
    at = to;
  }
  if (at !== window.to) throw new Error(`"${text}" does not say what all of that time was.`);
  return spans;
}

/** What is kept of a check or entity for an hour or a UTC day. */
export type Rollup = EntityFigures & {
  /**
   * What it was and when, so that the time of its entity can be made from it; they add up to the figures. null where
   * that is not kept: of most days, and of an hour with more than 500 spans, of a check that flaps each few seconds.
   */
  spans: readonly AccountedSpan[] | null;
};

/** The same of a check with its latencies. */
export type CheckRollup = Rollup & Pick<Figures, 'latency'>;

/**
 * The checks of a cell in the item of an hour or a UTC day, by their number in the cell, or of a day one entity by its
 * id; what is 0 is left out. An hour of 50 one-minute checks takes 1.1 KB as DynamoDB counts; at worst, with 500 spans
 * of each check, 170 KB.
 */
export type StoredRollup = Record<string, StoredCheck>;

/**
 * Histograms as text of the checks of a cell that have latencies, by their number. They are an item of their own, as
 * they are most of it, and the time of an entity is made without them: an hour of 50 one-minute checks takes 3.4 KB
 * with the usual spread, 6.0 KB with a wide one; a day 6.5 and 16 KB.
 */
export type StoredLatencies = Record<string, string>;

type StoredCheck = Partial<Record<'runs' | 'failures' | 'warnings' | GapCause, number>> & {
  /** Its spans as text, one letter of a time all in one state; or how many ms it was what. */
  time: string | StoredTime;
};

type StoredTime = Partial<Record<TimeKind | 'down_in_maintenance', number>>;

/** 500 spans of each of 50 checks leave an item within 400 KB. */
const MAX_TIME_RANGES = 500;

/** The same checks make the same item, in whatever order they are given. */
export const encodeRollup = (checks: ReadonlyMap<number | string, Rollup>): StoredRollup =>
  Object.fromEntries([...checks].map(([number, check]) => [number, storedCheck(check)]));

/** The latencies of the same checks. */
export const encodeLatencies = (checks: ReadonlyMap<number, CheckRollup>): StoredLatencies =>
  Object.fromEntries(
    [...checks].flatMap(([number, { latency }]) => (latency.count > 0 ? [[number, encodeHistogram(latency)]] : [])),
  );

/**
 * One check or entity of an item; undefined when the item knows nothing of it.
 * @param window the hour or day of the item
 */
export const decodeRollup = (stored: StoredRollup, name: number | string, window: TimeRange): Rollup | undefined =>
  stored[name] && rollupOf(stored[name], window);

/** The latencies of one check; none when the item does not know it. */
export const decodeLatency = (stored: StoredLatencies, name: number | string): LatencyHistogram =>
  decodeHistogram(stored[name] ?? '');

function storedCheck({ runs, failures, warnings, gaps, ...time }: Rollup): StoredCheck {
  const counts = { runs, failures, warnings, ...Object.fromEntries(GAP_CAUSES.map((cause) => [cause, gaps[cause]])) };
  return { ...withoutZeros(counts), time: storedTime(time) };
}

function storedTime({ spans, ms, down_in_maintenance_ms }: AccountedTime & Pick<Rollup, 'spans'>) {
  if (spans && spans.length <= MAX_TIME_RANGES) return spanText(spans);
  return withoutZeros({ ...ms, down_in_maintenance: down_in_maintenance_ms });
}

const withoutZeros = <K extends string>(numbers: Record<K, number>) =>
  Object.fromEntries(Object.entries(numbers).filter(([, number]) => number !== 0)) as Partial<Record<K, number>>;

function rollupOf({ time, ...counts }: StoredCheck, window: TimeRange): Rollup {
  const { runs = 0, failures = 0, warnings = 0 } = counts;
  const { gaps } = emptyFigures();
  for (const cause of GAP_CAUSES) gaps[cause] = counts[cause] ?? 0;
  return { runs, failures, warnings, gaps, ...timeStored(time, window) };
}

function timeStored(stored: string | StoredTime, window: TimeRange): AccountedTime & Pick<Rollup, 'spans'> {
  if (typeof stored === 'string') {
    const spans = spansOf(stored, window);
    return { ...timeOf(spans), spans };
  }
  const { ms } = noTime();
  for (const kind of TIME_KINDS) ms[kind] = stored[kind] ?? 0;
  return { ms, down_in_maintenance_ms: stored.down_in_maintenance ?? 0, spans: null };
}
