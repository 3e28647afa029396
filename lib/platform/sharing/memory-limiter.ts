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
 * Buckets by name in the memory of this process. At most `most` are kept, about 200 bytes each: beyond that the one
 * that nobody used for longest is forgotten, and is full when it comes back.
 */
export function makeBuckets(clock: Pick<Clock, 'now'>, most: number) {
  // A Map hands out its names in the order in which they were set: the first is the one that was not used for longest.
  const buckets = new Map<string, Bucket>();
  return {
    take(name: string, rate: Rate, count = 1): RateStatus {
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

/** Buckets of accounts and of addresses that a process keeps. */
const MAX_ACCOUNTS = 20_000;
const MAX_ADDRESSES = 10_000;
const CHARACTERS_A_TOKEN = 4 * 1024;

/** Exact for a service that is one process: every bucket is in its memory. */
export function memoryLimiter(clock: Pick<Clock, 'now'>, rates: Rates | undefined): Limiter {
  const accounts = makeBuckets(clock, MAX_ACCOUNTS);
  return {
    rates,
    characters_a_token: CHARACTERS_A_TOKEN,
    takeOf: (account, of, rate, count) => accounts.take(`${of} ${account}`, rate, count),
    takeAt: addressLimiter(clock, rates),
  };
}

/** What holds client addresses to their rate, in the memory of one process, on every host. */
export function addressLimiter(clock: Pick<Clock, 'now'>, rates: Rates | undefined): Limiter['takeAt'] {
  const addresses = makeBuckets(clock, MAX_ADDRESSES);
  return (address, of) => rates && addresses.take(`${of} ${networkOf(address)}`, rates[of]);
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** What one client has of an address: all of IPv4, also in the form of IPv6; of IPv6 its /64. */
export function networkOf(address: string): string {
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return isIPv6(address) ? `${ipv6Groups(address.replace(/%.*/, '')).slice(0, 4).join(':')}::/64` : address;
}
