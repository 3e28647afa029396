/** SQS hands over ten messages at once without waiting for more. */
export const LARGEST_BATCH = 10;

/** What an event source of SQS may be bounded to; one without a bound goes up to `MOST_CONCURRENCY` by itself. */
const LEAST_BOUND = 2;
const MOST_BOUND = 1000;
export const MOST_CONCURRENCY = 1250;

/**
 * The MaximumConcurrency of an event source that is to have so many batches in hand; undefined: none can be set.
 * @throws when no event source has so many
 */
export function boundOf(concurrency: number): number | undefined {
  if (concurrency > MOST_CONCURRENCY) {
    throw new Error(`An event source has ${MOST_CONCURRENCY} batches in hand at most, not ${concurrency}.`);
  }
  return concurrency > MOST_BOUND ? undefined : Math.max(LEAST_BOUND, concurrency);
}
