import type { Deadline, RetrySeries } from './notes.ts';

/** After all deliveries of an alert have failed, its check is looked at again after these times (ms). */
const RETRIES_MS = [60_000, 5 * 60_000, 15 * 60_000];

/**
 * The next look of a series, once all deliveries of its latest alert have failed, which may take an alert an hour.
 * @param now when they had, epoch ms
 * @returns undefined when all tries were made
 */
export function nextCatchUpRetry(series: RetrySeries, now: number): Deadline | undefined {
  const wait = RETRIES_MS[series.tries];
  if (wait === undefined) return undefined;
  return { deadline: Math.max(series.failed_at + wait, now + RETRIES_MS[0]!), note: { ...series } };
}

/** The series to which an alert belongs that is made when `entry` is due, that try counted; undefined for none. */
export const retrySeriesOf = ({ note }: Deadline): RetrySeries | undefined =>
  note?.failed_at === undefined ? undefined : { failed_at: note.failed_at, tries: (note.tries ?? 0) + 1 };
