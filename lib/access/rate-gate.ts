import { setImmediate } from 'node:timers/promises';
import type { Ports } from '#lib/env.ts';
import { AppError } from '#lib/platform/errors.ts';
import { FairSemaphore, NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
import {
  ACCOUNT_CLASSES,
  type AccountClass,
  type AddressClass,
  type Rate,
  type RateClass,
  type RateStatus,
} from '#lib/platform/sharing/rates.ts';
import type { RateLimits } from './account.ts';
import type { Context } from './context.ts';

/** Returns the rate of an account: its own, else that of the setting RATE_LIMITS; undefined if that is `off`. */
const rateOf = ({ limiter }: Pick<Ports, 'limiter'>, own: RateLimits | undefined, of: AccountClass): Rate | undefined =>
  limiter.rates && (own?.[of] ?? limiter.rates[of]);

/** Returns all rates of the account of a caller; null if rates are off. */
export function ratesOf({ ports, caller }: Pick<Context, 'ports' | 'caller'>): Record<AccountClass, Rate> | null {
  if (!ports.limiter.rates) return null;
  const rates = ACCOUNT_CLASSES.map((of) => [of, rateOf(ports, caller.rate_limits, of)]);
  return Object.fromEntries(rates) as Record<AccountClass, Rate>;
}

type Spending = Pick<Context, 'ports' | 'tenant'> & { caller: Pick<Context['caller'], 'rate_limits'> };

/**
 * Takes tokens of an account: one per request, or one per KB in the class `store`. Throws RATE_LIMITED.
 * @returns rate limit headers (draft-ietf-httpapi-ratelimit-headers)
 */
export async function spend(
  { ports, tenant, caller }: Spending,
  of: AccountClass,
  count = 1,
): Promise<Record<string, string>> {
  const rate = rateOf(ports, caller.rate_limits, of);
  if (!rate) return {};
  const status = await ports.limiter.takeForAccount(tenant, of, rate, count);
  if (!status.allowed) throw rateLimited(of, status);
  return headersOf(of, status);
}

/** Takes tokens for a long response, or all that are left. This delays the next request of the account. */
export async function chargeCost(
  { ports, tenant, caller }: Pick<Context, 'ports' | 'tenant' | 'caller'>,
  of: AccountClass,
  characters: number,
): Promise<void> {
  const { response_characters_per_token = Number.POSITIVE_INFINITY } = ports.limiter;
  const count = Math.floor(characters / response_characters_per_token);
  const rate = count > 0 ? rateOf(ports, caller.rate_limits, of) : undefined;
  if (!rate) return;
  const { allowed, left } = await ports.limiter.takeForAccount(tenant, of, rate, count);
  if (!allowed && left > 0) await ports.limiter.takeForAccount(tenant, of, rate, left);
}

/** Takes a token of a client address for a request without a valid credential. Throws RATE_LIMITED. */
export function spendForAddress({ limiter }: Pick<Ports, 'limiter'>, address: string, of: AddressClass): void {
  const status = limiter.takeForAddress(address, of);
  if (status && !status.allowed) throw rateLimited(of, status, ' of an address');
}

const number = (value: number): string => value.toLocaleString('en-US');

export function rateLimited(of: RateClass, status: RateStatus, scope = ''): AppError {
  const { rate, retry_s } = status;
  const [what, unit] =
    of === 'store' ? ['Too much data to store, class', ' KB'] : ['Too many requests of the class', ''];
  return new AppError(
    'RATE_LIMITED',
    `${what} ${of}: ${number(rate.per_second)}${unit} per second${scope}, with a burst of ${number(rate.burst)}${unit}. ` +
      `Try again in ${retry_s} s.`,
    { headers: { 'retry-after': String(retry_s), ...headersOf(of, status) } },
  );
}

function headersOf(of: RateClass, { rate, left, reset_s }: RateStatus): Record<string, string> {
  const window = Math.ceil(rate.burst / rate.per_second);
  return {
    'ratelimit-policy': `"${of}";q=${rate.burst};w=${window}`,
    ratelimit: `"${of}";r=${left};t=${reset_s}`,
  };
}

/** Maximum number of concurrent reads of one process and of one account, and their maximum wait. */
const READ_PERMITS = { permits: 16, per_target: 2, wait_ms: 10_000 };

const semaphores = new WeakMap<Ports['limiter'], FairSemaphore>();

/** Runs a read with a permit, because long lists take seconds of CPU. Throws RATE_LIMITED if it waited too long. */
export async function withReadPermit<T>({ ports, tenant }: Pick<Context, 'ports' | 'tenant'>, read: () => Promise<T>) {
  const semaphore = semaphores.get(ports.limiter) ?? new FairSemaphore(READ_PERMITS, ports.clock);
  semaphores.set(ports.limiter, semaphore);
  let hasWaited = false;
  const result = semaphore.run({ tenant, target: 'reads' }, async () => {
    // Otherwise all reads that waited for a long one would run in one turn of the event loop.
    if (hasWaited) await setImmediate();
    return read();
  });
  hasWaited = true;
  const value = await result;
  if (value !== NO_PERMIT) return value;
  throw new AppError(
    'RATE_LIMITED',
    `Too many concurrent reads: at most ${READ_PERMITS.per_target} per account; this request waited for ` +
      `${READ_PERMITS.wait_ms / 1000} s. Wait for a response before the next request.`,
    { headers: { 'retry-after': '1' } },
  );
}
