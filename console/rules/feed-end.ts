import type { Transition } from '#console/api/records.ts';

/** The end of the feed of transitions as it was read last. */
export type FeedEnd = {
  /** Oldest first, as the feed has them. */
  known: readonly Transition[];
  /** The service's clock is at least so many ms ahead of this one, which may be wrong by any amount. */
  ahead: number;
};

/**
 * A change may become visible so late, behind others with a later time (docs/use/states-and-history.md#transitions).
 */
const LATE_MS = 15_000;

/** @param known oldest first @param now epoch ms @param before what was read last, of the same feed */
export function feedEnd(known: FeedEnd['known'], now: number, before?: FeedEnd): FeedEnd {
  const newest = known.at(-1);
  const ahead = newest ? Date.parse(newest.timestamp) - now : Number.NEGATIVE_INFINITY;
  return { known, ahead: Math.max(ahead, before?.ahead ?? ahead) };
}

/**
 * From which of the known ones nothing can be missed: no change before it is still to become visible. Undefined while
 * all are too young, or there is none.
 */
export function settledOf({ known, ahead }: FeedEnd, now: number): Transition | undefined {
  return known.findLast(({ timestamp }) => Date.parse(timestamp) <= now + ahead - LATE_MS);
}
