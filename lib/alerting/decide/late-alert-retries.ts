import type { Deadline, RetrySeries } from './notes.ts';

/** Waiting times in ms before each retry, counted from the failure of all deliveries. */
const RETRIES_MS = [60_000, 5 * 60_000, 15 * 60_000];

/** Returns the next retry after all deliveries failed at `now` (epoch ms); undefined after the last. Pure. */
export function nextLateAlertRetry(series: RetrySeries, now: number): Deadline | undefined {
  const wait = RETRIES_MS[series.tries];
  if (wait === undefined) return undefined;
  return { deadline: Math.max(series.failed_at + wait, now + RETRIES_MS[0]!), note: { ...series } };
}

/** Returns the retry series of an alert made at this deadline, with the retry counted; undefined if it has none. */
export const retrySeriesOf = ({ note }: Deadline): RetrySeries | undefined =>
  note?.failed_at === undefined ? undefined : { failed_at: note.failed_at, tries: (note.tries ?? 0) + 1 };
