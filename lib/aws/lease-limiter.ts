import type { Env } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { addressLimiter } from '#lib/platform/sharing/memory-limiter.ts';
import {
  type Bucket,
  fullBucket,
  type Limiter,
  type Rate,
  type RateStatus,
  type Rates,
  ratesIn,
  refilled,
} from '#lib/platform/sharing/rates.ts';

/** What holds on AWS, where the setting RATE_LIMITS says nothing else. */
const RATES: Rates = {
  read: { per_second: 50, burst: 500 },
  write: { per_second: 50, burst: 500 },
  push: { per_second: 500, burst: 5000 },
  mcp: { per_second: 20, burst: 200 },
  send: { per_second: 5, burst: 20 },
  open: { per_second: 20, burst: 100 },
  'sign-in': { per_second: 1, burst: 20 },
  ping: { per_second: 100, burst: 1000 },
  'ping-url': { per_second: 2, burst: 60 },
};

/** The bucket of an account and class that all processes share. About 100 bytes, written once a lease. */
type RateItem = Item & Bucket & { v: string };

/** What a process holds of an account and class. */
type Share = {
  /** What it lets in without asking. */
  own: Bucket;
  /** Tokens that it leased, good until (epoch ms). */
  leased: number;
  until: number;
  /** Of its last lease. */
  size: number;
  /** The shared bucket as it was seen last. */
  shared: Bucket;
  /** Epoch ms: it was refused, and does not ask before. */
  quiet_until: number;
  /** A lease that is being asked for. */
  asking: Promise<void> | undefined;
};

/** Without asking: one a second, twenty at once; of a small rate a fiftieth, and a twenty-fifth of its burst. */
const ownRate = ({ per_second, burst }: Rate): Rate => ({
  per_second: Math.min(1, per_second / 50),
  burst: Math.min(20, Math.floor(burst / 25)),
});
/** A tenth of a second's worth, and ten at least. */
const largestLease = ({ per_second }: Rate): number => Math.max(10, Math.ceil(per_second / 10));

/**
 * The next lease is twice the last one if that was used up in time, else half of it: what a process leases and does not
 * use is lost to the others.
 */
function leaseSize({ size, leased }: Share, rate: Rate, wanted: number): number {
  const next = leased === 0 ? size * 2 : Math.ceil(size / 2);
  return Math.max(wanted, Math.min(next, largestLease(rate)));
}

// So that a process of few requests uses a lease up: what expires was written for nothing.
const LEASE_MS = 20_000;
/** For so long a process lets in what a lease would have held, when the store cannot say. */
const BLIND_MS = 1000;
const TRIES = 4;
const JITTER_MS = 30;
const MAX_SHARES = 5000;

/**
 * Holds accounts to their rates where many processes serve them. Each process leases tokens, a tenth of a second's
 * worth at most, from one item an account and class. An account under 1 request a second costs nothing. One beyond its
 * rate costs at most a read a second and process, as a process that was refused asks again only 0.5 to 1.5 s later.
 * When the store fails, requests are let in and `LimiterFailed` is counted.
 */
export function leaseLimiter({
  ports,
  keys,
}: Env<'table' | 'clock' | 'ids' | 'metrics' | 'log' | 'settings'>): Limiter {
  const { table, clock, ids, metrics, log } = ports;
  const rates = ratesIn(ports.settings.RATE_LIMITS, RATES);
  const shares = new Map<string, Share>();

  return { rates, takeOf, takeAt: addressLimiter(clock, rates) };

  async function takeOf(
    account: string,
    of: Parameters<Limiter['takeOf']>[1],
    rate: Rate,
    count: number,
  ): Promise<RateStatus> {
    const share = shareOf(`${of} ${account}`, rate);
    const wanted = Math.min(count, rate.burst);
    for (;;) {
      const now = clock.now();
      share.own = refilled(share.own, ownRate(rate), now);
      if (take(share, wanted, now)) return standing(share, rate, 0, now);
      if (now < share.quiet_until) return standing(share, rate, Math.ceil((share.quiet_until - now) / 1000), now);
      share.asking ??= ask(share, keys.rate(account, of), rate, wanted).finally(() => {
        share.asking = undefined;
      });
      await share.asking;
    }
  }

  function shareOf(name: string, rate: Rate): Share {
    const now = clock.now();
    const share = shares.get(name) ?? {
      own: fullBucket(ownRate(rate), now),
      leased: 0,
      until: 0,
      size: Math.ceil(largestLease(rate) / 20),
      shared: fullBucket(rate, now),
      quiet_until: 0,
      asking: undefined,
    };
    // Set anew, so that the first of the Map is the one that was not used for longest.
    if (!shares.delete(name) && shares.size >= MAX_SHARES) shares.delete(shares.keys().next().value!);
    shares.set(name, share);
    return share;
  }

  /** Ends with a lease that holds what is wanted, or with a time to be quiet. */
  async function ask(share: Share, key: ReturnType<Keys['rate']>, rate: Rate, wanted: number): Promise<void> {
    const size = leaseSize(share, rate, wanted);
    const hold = (tokens: number, ms: number) => {
      share.size = size;
      share.leased = tokens;
      share.until = clock.now() + ms;
    };
    try {
      for (let tries = 0; tries < TRIES; tries++) {
        if (tries > 0) await clock.sleep(ids.random() * JITTER_MS * tries);
        const before = await table.get<RateItem>(key);
        const now = clock.now();
        share.shared = before ? refilled(before, rate, now) : fullBucket(rate, now);
        const granted = Math.min(size, Math.floor(share.shared.tokens));
        // Small change is left for others: it would cost as many writes as whole leases.
        if (granted < Math.max(wanted, size / 2)) break;
        const left = { tokens: share.shared.tokens - granted, at: now };
        // A bucket that is full again says no more than none.
        const expires_at = Math.ceil(now / 1000 + rate.burst / rate.per_second) + 3600;
        const put: RateItem = { ...key, v: ids.token(), expires_at, ...left };
        const outcome = await table.transact([{ put, if: before ? { version: before.v } : 'absent' }]);
        if (!outcome.ok) continue;
        share.shared = left;
        return hold(granted, LEASE_MS);
      }
      share.quiet_until = clock.now() + 500 + ids.random() * 1000;
    } catch (error) {
      metrics.count('LimiterFailed');
      log.warn('the rate of an account could not be looked at; it is let in', { key: key.pk, error });
      hold(Math.max(wanted, largestLease(rate)), BLIND_MS);
    }
  }
}

/** All that is wanted, of what the process lets in by itself first, or nothing. */
function take(share: Share, wanted: number, now: number): boolean {
  const own = Math.min(wanted, Math.floor(share.own.tokens));
  const leased = now < share.until ? share.leased : 0;
  if (own + leased < wanted) return false;
  share.own = { ...share.own, tokens: share.own.tokens - own };
  share.leased -= wanted - own;
  return true;
}

/** As far as this process knows. */
function standing(share: Share, rate: Rate, retry_s: number, now: number): RateStatus {
  const allowed = retry_s === 0;
  const leased = now < share.until ? share.leased : 0;
  const tokens = Math.min(rate.burst, refilled(share.shared, rate, now).tokens + leased);
  const left = allowed ? Math.floor(tokens) : 0;
  return { allowed, rate, left, reset_s: Math.ceil((rate.burst - left) / rate.per_second), retry_s };
}
