import type { GapCause, TimeRange } from '#lib/history/results/gaps.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import {
  type Classified,
  type ClassifiedSpan,
  TIME_KINDS,
  type TimeByKind,
  type TimeKind,
  timeOf,
  zeroTime,
} from './classify-time.ts';
import { type EntityFigures, emptyFigures, type Figures, GAP_CAUSES } from './figures.ts';
import { decodeHistogram, encodeHistogram, type LatencyHistogram } from './latency-histogram.ts';

/** Letters of kinds of time; `i` is degraded (impaired). In upper case: hidden by maintenance. */
const LETTER = { up: 'u', degraded: 'i', down: 'd', unknown: 'x', gap: 'g', not_monitored: 'n' } as const;

const KINDS = new Map<string, Classified>(
  namesOf(LETTER).flatMap((as): [string, Classified][] => [
    [LETTER[as], { as, in_maintenance: false }],
    [LETTER[as].toUpperCase(), { as, in_maintenance: true }],
  ]),
);

/** Encodes spans as letters and ms, the last without ms: `u` is an hour up, `u1200000d60000u` has a minute down. */
export const encodeSpans = (spans: readonly ClassifiedSpan[]): string =>
  spans
    .map(({ from, to, as, in_maintenance }, i) => {
      const letter = in_maintenance ? LETTER[as].toUpperCase() : LETTER[as];
      return i === spans.length - 1 ? letter : `${letter}${to - from}`;
    })
    .join('');

/** Decodes the spans of a range. Throws an Error if the text is not valid or does not end with the range. */
export function decodeSpans(text: string, range: TimeRange): ClassifiedSpan[] {
  const spans: ClassifiedSpan[] = [];
  let at = range.from;
  for (const [, letter = '', length = ''] of text.matchAll(/(\D)(\d*)/g)) {
    const kind = KINDS.get(letter);
    const to = length === '' ? range.to : at + Number(length);
    if (!kind || to <= at) throw new Error(`Unknown kind or length in the spans "${text}".`);
    spans.push({ from: at, to, ...kind });
    at = to;
  }
  if (at !== range.to) throw new Error(`The spans "${text}" do not end with their range.`);
  return spans;
}

/** Stored figures of a check or entity for an hour or a UTC day. */
export type Rollup = EntityFigures & {
  /** Spans of the figures; null for days with several kinds of time, and for an hour with over 500 spans. */
  spans: readonly ClassifiedSpan[] | null;
};

export type CheckRollup = Rollup & Pick<Figures, 'latency'>;

/**
 * Figures of the checks of a cell in an hour or UTC day, by their number; or of an entity in a UTC day, by its id.
 * Zeros are omitted. An hour of 50 one-minute checks takes 1.1 KB in DynamoDB, at most 170 KB with 500 spans per check.
 */
export type StoredRollup = Record<string, StoredEntry>;

/**
 * Encoded histograms of the checks of a cell, by number. A separate item, because most requests for entities do not
 * need it. An hour of 50 one-minute checks takes 3.4 KB (6.0 KB with a wide spread), a day 6.5 KB (16 KB).
 */
export type StoredLatencies = Record<string, string>;

type StoredEntry = Partial<Record<'runs' | 'failures' | 'warnings' | GapCause, number>> & {
  time: string | StoredTime;
};

type StoredTime = Partial<Record<TimeKind | 'down_in_maintenance', number>>;

/** Maximum number of spans stored: 500 for each of 50 checks keep an item within 400 KB. */
const MAX_SPANS = 500;

/** Encodes the figures of checks; independent of their order. */
export const encodeRollup = (checks: ReadonlyMap<number | string, Rollup>): StoredRollup =>
  Object.fromEntries([...checks].map(([number, check]) => [number, encodeEntry(check)]));

export const encodeLatencies = (checks: ReadonlyMap<number, CheckRollup>): StoredLatencies =>
  Object.fromEntries(
    [...checks].flatMap(([number, { latency }]) => (latency.count > 0 ? [[number, encodeHistogram(latency)]] : [])),
  );

/** Decodes one check or entity of an item for its hour or day; undefined if the item does not contain it. */
export const decodeRollup = (stored: StoredRollup, name: number | string, range: TimeRange): Rollup | undefined =>
  stored[name] && decodeEntry(stored[name], range);

/** Decodes the latencies of one check; empty if the item does not contain it. */
export const decodeLatency = (stored: StoredLatencies, name: number | string): LatencyHistogram =>
  decodeHistogram(stored[name] ?? '');

function encodeEntry({ runs, failures, warnings, gaps, ...time }: Rollup): StoredEntry {
  const counts = { runs, failures, warnings, ...Object.fromEntries(GAP_CAUSES.map((cause) => [cause, gaps[cause]])) };
  return { ...withoutZeros(counts), time: encodeTime(time) };
}

function encodeTime({ spans, ms, down_in_maintenance_ms }: TimeByKind & Pick<Rollup, 'spans'>) {
  if (spans && spans.length <= MAX_SPANS) return encodeSpans(spans);
  return withoutZeros({ ...ms, down_in_maintenance: down_in_maintenance_ms });
}

const withoutZeros = <K extends string>(numbers: Record<K, number>) =>
  Object.fromEntries(Object.entries(numbers).filter(([, number]) => number !== 0)) as Partial<Record<K, number>>;

function decodeEntry({ time, ...counts }: StoredEntry, range: TimeRange): Rollup {
  const { runs = 0, failures = 0, warnings = 0 } = counts;
  const { gaps } = emptyFigures();
  for (const cause of GAP_CAUSES) gaps[cause] = counts[cause] ?? 0;
  return { runs, failures, warnings, gaps, ...decodeTime(time, range) };
}

function decodeTime(stored: string | StoredTime, range: TimeRange): TimeByKind & Pick<Rollup, 'spans'> {
  if (typeof stored === 'string') {
    const spans = decodeSpans(stored, range);
    return { ...timeOf(spans), spans };
  }
  const { ms } = zeroTime();
  for (const kind of TIME_KINDS) ms[kind] = stored[kind] ?? 0;
  return { ms, down_in_maintenance_ms: stored.down_in_maintenance ?? 0, spans: null };
}
