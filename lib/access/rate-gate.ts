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

/** The rate that holds for an account: its own, else that of the setting RATE_LIMITS; undefined when that is `off`. */
const rateOf = ({ limiter }: Pick<Ports, 'limiter'>, own: RateLimits | undefined, of: AccountClass): Rate | undefined =>
  limiter.rates && (own?.[of] ?? limiter.rates[of]);

/** Every rate that holds for the account of a caller; null when nothing is limited. */
export function ratesOf({ ports, caller }: Pick<Context, 'ports' | 'caller'>): Record<AccountClass, Rate> | null {
  if (!ports.limiter.rates) return null;
  const rates = ACCOUNT_CLASSES.map((of) => [of, rateOf(ports, caller.rate_limits, of)]);
  return Object.fromEntries(rates) as Record<AccountClass, Rate>;
}

/** Whose rate it is. */
type Spending = Pick<Context, 'ports' | 'tenant'> & { caller: Pick<Context['caller'], 'rate_limits'> };

/**
 * Counts what an account does. Throws RATE_LIMITED, with Retry-After, when it does more than it may.
 * @param count how many it is at once
 * @returns the headers that say where the account stands (draft-ietf-httpapi-ratelimit-headers)
 */
export async function spend(
  { ports, tenant, caller }: Spending,
  of: AccountClass,
  count = 1,
): Promise<Record<string, string>> {
  const rate = rateOf(ports, caller.rate_limits, of);
  if (!rate) return {};
  const status = await ports.limiter.takeOf(tenant, of, rate, count);
  if (!status.allowed) throw rateLimited(of, status);
  return headersOf(of, status);
}

/** Counts a long answer as what it was worth: the account's next request waits for it. What it lacks is forgiven. */
export async function chargeCost(
  { ports, tenant, caller }: Pick<Context, 'ports' | 'tenant' | 'caller'>,
  of: AccountClass,
  characters: number,
): Promise<void> {
  const { characters_a_token = Number.POSITIVE_INFINITY } = ports.limiter;
  const count = Math.floor(characters / characters_a_token);
  const rate = count > 0 ? rateOf(ports, caller.rate_limits, of) : undefined;
  if (!rate) return;
  const { allowed, left } = await ports.limiter.takeOf(tenant, of, rate, count);
  if (!allowed && left > 0) await ports.limiter.takeOf(tenant, of, rate, left);
}

/** Counts what an address does without a good key. Throws RATE_LIMITED. */
export function spendAt({ limiter }: Pick<Ports, 'limiter'>, address: string, of: AddressClass): void {
  const status = limiter.takeAt(address, of);
  if (status && !status.allowed) throw rateLimited(of, status, ' of an address');
}

const number = (value: number): string => value.toLocaleString('en-US');

/** The refusal of a bucket that gave nothing. */
export function rateLimited(of: RateClass, status: RateStatus, whose = ''): AppError {
  const { rate, retry_s } = status;
  return new AppError(
    'RATE_LIMITED',
    `Too many requests of the class ${of}: ${number(rate.per_second)} a second${whose}, at most ${number(rate.burst)} ` +
      `at once. Try again in ${retry_s} s.`,
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

/** Reads of one process that are worked on at once, and of one account. */
const TURNS = { permits: 16, per_target: 2, wait_ms: 10_000 };

const turns = new WeakMap<Ports['limiter'], FairSemaphore>();

/**
 * Runs a read of an account in its turn. Few run at once, as the longest lists take seconds of CPU, which must not slow
 * other accounts down. Throws RATE_LIMITED after waiting too long.
 */
export async function withReadPermit<T>({ ports, tenant }: Pick<Context, 'ports' | 'tenant'>, read: () => Promise<T>) {
  const shares = turns.get(ports.limiter) ?? new FairSemaphore(TURNS, ports.clock);
  turns.set(ports.limiter, shares);
  let hasWaited = false;
  const turn = shares.run({ tenant, target: 'reads' }, async () => {
    // Else hundreds that waited for a long one would all be done in one turn of the event loop.
    if (hasWaited) await setImmediate();
    return read();
  });
  hasWaited = true;
  const answer = await turn;
  if (answer !== NO_PERMIT) return answer;
  throw new AppError(
    'RATE_LIMITED',
    `Too many reads at once: ${TURNS.per_target} of an account are worked on at a time, and this one waited for ` +
      `${TURNS.wait_ms / 1000} s. Send the next when one was answered.`,
    { headers: { 'retry-after': '1' } },
  );
}
