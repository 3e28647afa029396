import type { Clock } from '#lib/platform/ports.ts';
import { type Bucket, fullBucket, type Rate, refilled, type Standing, takeFrom } from './rates.ts';

/**
 * Buckets by name in the memory of this process. At most `most` are kept, about 200 bytes each: beyond that the one
 * that nobody used for longest is forgotten, and is full when it comes back.
 */
export function makeBuckets(clock: Pick<Clock, 'now'>, most: number) {
  // A Map hands out its names in the order in which they were set: the first is the one that was not used for longest.
  const buckets = new Map<string, Bucket>();
  return {
    take(name: string, rate: Rate, count = 1): Standing {
      const now = clock.now();
      const known = buckets.get(name);
      const { bucket, standing } = takeFrom(known ? refilled(known, rate, now) : fullBucket(rate, now), rate, count);
      if (known) buckets.delete(name);
      else if (buckets.size >= most) buckets.delete(buckets.keys().next().value!);
      buckets.set(name, bucket);
      return standing;
    },
    /** How many are kept. */
    size: () => buckets.size,
  };
}
