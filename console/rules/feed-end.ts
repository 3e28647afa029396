import type { Transition } from '#console/api/records.ts';

/** End of the transition feed at the last read. */
export type FeedEnd = {
  /** Transitions of that read, oldest first. */
  known: readonly Transition[];
  /** Minimum time by which the service clock is ahead of the browser clock, in ms. */
  ahead: number;
};

/** Maximum time by which a transition can appear after later ones (docs/use/states-and-history.md#transitions). */
const LATE_MS = 15_000;

/** Returns the new end of the feed. @param known oldest first @param now epoch ms @param before previous end */
export function feedEnd(known: FeedEnd['known'], now: number, before?: FeedEnd): FeedEnd {
  const newest = known.at(-1);
  const ahead = newest ? Date.parse(newest.timestamp) - now : Number.NEGATIVE_INFINITY;
  return { known, ahead: Math.max(ahead, before?.ahead ?? ahead) };
}

/** Returns the newest transition before which no other can still appear; undefined if all are too recent. */
export function settledOf({ known, ahead }: FeedEnd, now: number): Transition | undefined {
  return known.findLast(({ timestamp }) => Date.parse(timestamp) <= now + ahead - LATE_MS);
}
