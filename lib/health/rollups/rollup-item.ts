import type { GapCause, Span } from '#lib/health/history/gap-causes.ts';
import { type AccountedSpan, type AccountedTime, noTime, TIME_KINDS, type TimeKind, timeOf } from './accounted-span.ts';
import { emptyFigures, type Figures, GAP_CAUSES } from './figures.ts';
import { decodeHistogram, encodeHistogram } from './latency-histogram.ts';
import { spansOf, spanText } from './span-text.ts';

/** What is kept of a check for an hour or a UTC day. */
export type CheckRollup = Figures & {
  /**
   * What it was and when, so that the time of its entity can be made from it; they add up to the figures. null where
   * that is not kept: of most days, and of an hour with more than 500 spans, of a check that flaps each few seconds.
   */
  spans: readonly AccountedSpan[] | null;
};

/**
 * The checks of a cell in the item of an hour or a UTC day, by their number in the cell (and of a day its entities, by
 * id); what is 0 is left out. An hour
 * of 50 one-minute checks takes 4.3 KB as DynamoDB counts with the usual spread of latencies, 6.9 KB with a wide one
 * (as JSON 5.0 and 7.6); a day 7.5 and 17 KB; at worst, with 500 spans of each check, 170 KB.
 */
export type StoredRollup = Record<string, StoredCheck>;

type StoredCheck = Partial<Record<'runs' | 'failures' | 'warnings' | GapCause, number>> & {
  /** Its spans as text, one letter of a time all in one state; or how many ms it was what. */
  time: string | StoredTime;
  /** A histogram as text. */
  latency?: string;
};

type StoredTime = Partial<Record<TimeKind | 'down_in_maintenance', number>>;

/** 500 spans of each of 50 checks leave an item within 400 KB. */
const MOST_SPANS = 500;

/** The same checks make the same item, in whatever order they are given. */
export const encodeRollup = (checks: ReadonlyMap<number | string, CheckRollup>): StoredRollup =>
  Object.fromEntries([...checks].map(([number, check]) => [number, storedCheck(check)]));

/**
 * One check or entity of an item; undefined when the item knows nothing of it.
 * @param window the hour or day of the item
 */
export const decodeCheck = (stored: StoredRollup, name: number | string, window: Span): CheckRollup | undefined =>
  stored[name] && rollupOf(stored[name], window);

function storedCheck({ runs, failures, warnings, gaps, latency, ...time }: CheckRollup): StoredCheck {
  const counts = { runs, failures, warnings, ...Object.fromEntries(GAP_CAUSES.map((cause) => [cause, gaps[cause]])) };
  return {
    ...withoutZeros(counts),
    time: storedTime(time),
    ...(latency.count > 0 && { latency: encodeHistogram(latency) }),
  };
}

function storedTime({ spans, ms, down_in_maintenance_ms }: AccountedTime & Pick<CheckRollup, 'spans'>) {
  if (spans && spans.length <= MOST_SPANS) return spanText(spans);
  return withoutZeros({ ...ms, down_in_maintenance: down_in_maintenance_ms });
}

const withoutZeros = <K extends string>(numbers: Record<K, number>) =>
  Object.fromEntries(Object.entries(numbers).filter(([, number]) => number !== 0)) as Partial<Record<K, number>>;

function rollupOf({ time, latency = '', ...counts }: StoredCheck, window: Span): CheckRollup {
  const { runs = 0, failures = 0, warnings = 0 } = counts;
  const gaps = emptyFigures().gaps;
  for (const cause of GAP_CAUSES) gaps[cause] = counts[cause] ?? 0;
  return { runs, failures, warnings, gaps, latency: decodeHistogram(latency), ...timeStored(time, window) };
}

function timeStored(stored: string | StoredTime, window: Span): AccountedTime & Pick<CheckRollup, 'spans'> {
  if (typeof stored === 'string') {
    const spans = spansOf(stored, window);
    return { ...timeOf(spans), spans };
  }
  const { ms } = noTime();
  for (const kind of TIME_KINDS) ms[kind] = stored[kind] ?? 0;
  return { ms, down_in_maintenance_ms: stored.down_in_maintenance ?? 0, spans: null };
}
