import { isIPv6 } from 'node:net';
import { ipv6Groups } from '#lib/platform/ipv6.ts';
import type { Clock, Limiter } from '#lib/platform/ports.ts';
import { makeBuckets } from './buckets.ts';
import type { Rates } from './rates.ts';

/** Buckets of accounts and of addresses that a process keeps. */
const MOST_OF_ACCOUNTS = 20_000;
const MOST_OF_ADDRESSES = 10_000;
const CHARACTERS_A_TOKEN = 4 * 1024;

/** Exact for a service that is one process: every bucket is in its memory. */
export function memoryLimiter(clock: Pick<Clock, 'now'>, rates: Rates | undefined): Limiter {
  const accounts = makeBuckets(clock, MOST_OF_ACCOUNTS);
  return {
    rates,
    characters_a_token: CHARACTERS_A_TOKEN,
    takeOf: (account, of, rate, count) => accounts.take(`${of} ${account}`, rate, count),
    takeAt: addressLimiter(clock, rates),
  };
}

/** What holds client addresses to their rate, in the memory of one process, on every host. */
export function addressLimiter(clock: Pick<Clock, 'now'>, rates: Rates | undefined): Limiter['takeAt'] {
  const addresses = makeBuckets(clock, MOST_OF_ADDRESSES);
  return (address, of) => rates && addresses.take(`${of} ${networkOf(address)}`, rates[of]);
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** What one client has of an address: all of IPv4, also in the form of IPv6; of IPv6 its /64. */
export function networkOf(address: string): string {
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return isIPv6(address) ? `${ipv6Groups(address.replace(/%.*/, '')).slice(0, 4).join(':')}::/64` : address;
}
