import type { Env } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { addressLimiter } from '#lib/platform/sharing/memory-limiter.ts';
import {
  type AccountClass,
  type Bucket,
  fullBucket,
  type Limiter,
  type Rate,
  type RateStatus,
  type Rates,
  ratesIn,
  refilled,
} from '#lib/platform/sharing/rates.ts';

const RATES: Rates = {
  read: { per_second: 50, burst: 500 },
  write: { per_second: 50, burst: 500 },
  push: { per_second: 500, burst: 5000 },
  mcp: { per_second: 20, burst: 200 },
  send: { per_second: 5, burst: 20 },
  // In KB: 2 GB on the first day, 1.8 GB on others.
  store: { per_second: 20, burst: 262_144 },
  open: { per_second: 20, burst: 100 },
  'sign-in': { per_second: 1, burst: 20 },
  ping: { per_second: 100, burst: 1000 },
  'ping-url': { per_second: 2, burst: 60 },
};

/** Bucket of an account and class, shared by all processes. About 100 bytes, written once per lease. */
type RateItem = Item & Bucket & { v: string };

type LocalShare = {
  own: Bucket;
  /** Leased tokens, valid until `until` (epoch ms). */
  leased: number;
  until: number;
  size: number;
  shared: Bucket;
  /** End (epoch ms) of the pause after a refused lease. */
  quiet_until: number;
  pending: Promise<void> | undefined;
};

const rateWithoutLease = ({ per_second, burst }: Rate): Rate => ({
  per_second: Math.min(1, per_second / 50),
  burst: Math.min(20, Math.floor(burst / 25)),
});
const maxLease = ({ per_second }: Rate): number => Math.max(10, Math.ceil(per_second / 10));

/** Returns twice the last lease if it was used up, else half of it, because unused tokens are lost to others. */
function leaseSize({ size, leased }: LocalShare, rate: Rate, requested: number): number {
  const next = leased === 0 ? size * 2 : Math.ceil(size / 2);
  return Math.max(requested, Math.min(next, maxLease(rate)));
}

// Long enough for a process with few requests to use up a lease, which saves writes.
const LEASE_MS = 20_000;
/** Duration (ms) of a lease that is granted without the table, when it fails. */
const FALLBACK_LEASE_MS = 1000;
const MAX_TRIES = 4;
const JITTER_MS = 30;
const MAX_SHARES = 5000;

/**
 * Limits accounts across processes, which lease tokens from one item per account and class. Requests that fit into the
 * rate without a lease cost nothing. An account over its rate costs one read per second and process on average, because
 * a refused process waits 0.5 to 1.5 s. If the table fails, requests are allowed and `LimiterFailed` is counted.
 */
export function leaseLimiter({
  ports,
  keys,
}: Env<'table' | 'clock' | 'ids' | 'metrics' | 'log' | 'settings'>): Limiter {
  const { table, clock, ids, metrics, log } = ports;
  const rates = ratesIn(ports.settings.RATE_LIMITS, RATES);
  const shares = new Map<string, LocalShare>();

  return { rates, takeForAccount, takeForAddress: addressLimiter(clock, rates) };

  async function takeForAccount(
    account: string,
    accountClass: AccountClass,
    rate: Rate,
    count: number,
  ): Promise<RateStatus> {
    const share = shareOf(`${accountClass} ${account}`, rate);
    const requested = Math.min(count, rate.burst);
    for (;;) {
      const now = clock.now();
      share.own = refilled(share.own, rateWithoutLease(rate), now);
      if (take(share, requested, now)) return statusOf(share, rate, 0, now);
      if (now < share.quiet_until) return statusOf(share, rate, Math.ceil((share.quiet_until - now) / 1000), now);
      share.pending ??= requestLease(share, keys.rate(account, accountClass), rate, requested).finally(() => {
        share.pending = undefined;
      });
      await share.pending;
    }
  }

  function shareOf(name: string, rate: Rate): LocalShare {
    const now = clock.now();
    const share = shares.get(name) ?? {
      own: fullBucket(rateWithoutLease(rate), now),
      leased: 0,
      until: 0,
      size: Math.ceil(maxLease(rate) / 20),
      shared: fullBucket(rate, now),
      quiet_until: 0,
      pending: undefined,
    };
    // Reinserted, so that the first entry of the Map is the least recently used.
    if (!shares.delete(name) && shares.size >= MAX_SHARES) shares.delete(shares.keys().next().value!);
    shares.set(name, share);
    return share;
  }

  async function requestLease(
    share: LocalShare,
    key: ReturnType<Keys['rate']>,
    rate: Rate,
    requested: number,
  ): Promise<void> {
    const size = leaseSize(share, rate, requested);
    const setLease = (tokens: number, ms: number) => {
      share.size = size;
      share.leased = tokens;
      share.until = clock.now() + ms;
    };
    try {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        if (tries > 0) await clock.sleep(ids.random() * JITTER_MS * tries);
        const stored = await table.get<RateItem>(key);
        const now = clock.now();
        share.shared = stored ? refilled(stored, rate, now) : fullBucket(rate, now);
        const granted = Math.min(size, Math.floor(share.shared.tokens));
        // A small remainder is left for others: each small lease costs as many writes as a large one.
        if (granted < Math.max(requested, size / 2)) break;
        const left = { tokens: share.shared.tokens - granted, at: now };
        // A full bucket is equivalent to a missing one.
        const expires_at = Math.ceil(now / 1000 + rate.burst / rate.per_second) + 3600;
        const put: RateItem = { ...key, v: ids.token(), expires_at, ...left };
        const outcome = await table.transact([{ put, if: stored ? { version: stored.v } : 'absent' }]);
        if (!outcome.ok) continue;
        share.shared = left;
        return setLease(granted, LEASE_MS);
      }
      share.quiet_until = clock.now() + 500 + ids.random() * 1000;
    } catch (error) {
      metrics.count('LimiterFailed');
      log.warn('rate of an account could not be read or written, request allowed', { key: key.pk, error });
      setLease(Math.max(requested, maxLease(rate)), FALLBACK_LEASE_MS);
    }
  }
}

/** Takes all requested tokens or none, first from the rate without a lease. */
function take(share: LocalShare, requested: number, now: number): boolean {
  const own = Math.min(requested, Math.floor(share.own.tokens));
  const leased = now < share.until ? share.leased : 0;
  if (own + leased < requested) return false;
  share.own = { ...share.own, tokens: share.own.tokens - own };
  share.leased -= requested - own;
  return true;
}

function statusOf(share: LocalShare, rate: Rate, retry_s: number, now: number): RateStatus {
  const allowed = retry_s === 0;
  const leased = now < share.until ? share.leased : 0;
  const tokens = Math.min(rate.burst, refilled(share.shared, rate, now).tokens + leased);
  const left = allowed ? Math.floor(tokens) : 0;
  return { allowed, rate, left, reset_s: Math.ceil((rate.burst - left) / rate.per_second), retry_s };
}
