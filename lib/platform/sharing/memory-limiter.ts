import { isIPv6 } from 'node:net';
import { ipv6Groups } from '#lib/platform/ipv6.ts';
import type { Clock } from '#lib/platform/ports.ts';
import {
  type Bucket,
  fullBucket,
  type Limiter,
  type Rate,
  type RateStatus,
  type Rates,
  refilled,
  takeFrom,
} from './rates.ts';

/**
 * Creates token buckets by name, each at its first use (200 bytes of memory). Beyond `maxBuckets`, drops the least
 * recently used bucket; the next use of its name starts with a full bucket.
 */
export function makeBuckets(clock: Pick<Clock, 'now'>, maxBuckets: number) {
  // A Map iterates in insertion order, so the first name is the least recently used one.
  const buckets = new Map<string, Bucket>();
  return {
    take(name: string, rate: Rate, count = 1): RateStatus {
      const now = clock.now();
      const known = buckets.get(name);
      const { bucket, status } = takeFrom(known ? refilled(known, rate, now) : fullBucket(rate, now), rate, count);
      if (known) buckets.delete(name);
      else if (buckets.size >= maxBuckets) buckets.delete(buckets.keys().next().value!);
      buckets.set(name, bucket);
      return status;
    },
    size: () => buckets.size,
  };
}

const MAX_ACCOUNT_BUCKETS = 20_000;
const MAX_ADDRESS_BUCKETS = 10_000;
const RESPONSE_CHARACTERS_PER_TOKEN = 4 * 1024;

/** Returns the limiter of a single-process service: exact, because all buckets are in its memory. */
export function memoryLimiter(clock: Pick<Clock, 'now'>, rates: Rates | undefined): Limiter {
  const accounts = makeBuckets(clock, MAX_ACCOUNT_BUCKETS);
  return {
    rates,
    response_characters_per_token: RESPONSE_CHARACTERS_PER_TOKEN,
    takeForAccount: (account, of, rate, count) => accounts.take(`${of} ${account}`, rate, count),
    takeForAddress: addressLimiter(clock, rates),
  };
}

/** Returns the limiter of client addresses in one process, used on one machine and on AWS. */
export function addressLimiter(clock: Pick<Clock, 'now'>, rates: Rates | undefined): Limiter['takeForAddress'] {
  const addresses = makeBuckets(clock, MAX_ADDRESS_BUCKETS);
  return (address, of) => rates && addresses.take(`${of} ${networkOf(address)}`, rates[of]);
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Returns the network of one client: its IPv4 address, even if mapped to IPv6, or the /64 of its IPv6 address. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return isIPv6(address) ? `${ipv6Groups(address.replace(/%.*/, '')).slice(0, 4).join(':')}::/64` : address;
}
