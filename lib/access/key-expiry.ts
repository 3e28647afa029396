import { AppError, invalid } from '#lib/platform/errors.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';

/** A new key lives for at least, and at most (ms). */
const [LEAST_MS, MOST_MS] = [60_000, 3650 * DAY_MS];
/** How long an expired key is still listed (ms). */
const LISTED_MS = 90 * DAY_MS;

/** When a key expires, epoch ms; null: never. `expires_at` of an item is something else: when the table drops it. */
export type Ending = { valid_until: number | null };

/** The members of an item that say when it expires, and when the table drops it. */
export const endingAt = (valid_until: number | null): Ending & { expires_at?: number } =>
  valid_until === null ? { valid_until } : { valid_until, expires_at: Math.ceil((valid_until + LISTED_MS) / 1000) };

export const isExpired = ({ valid_until }: Ending, now: number): boolean => valid_until !== null && valid_until <= now;

/** Whether it expired so long ago that nobody is shown it: the table may take days to drop it. */
export const isForgotten = ({ valid_until }: Ending, now: number): boolean =>
  valid_until !== null && valid_until + LISTED_MS <= now;

/** The earlier of two endings. */
export const earlier = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);

/**
 * When a new key expires. Throws VALIDATION_ERROR.
 * @param wanted null: with its maker
 * @param maker when the key that makes it expires
 */
export function expiryOf(now: number, wanted: number | null, maker: number | null): number | null {
  if (wanted === null) return maker;
  mustBeAhead(now, wanted);
  if (maker === null || wanted <= maker) return wanted;
  throw invalid('expires_at', `must not be later than ${iso(maker)}, when the key that makes it expires`);
}

/** Throws VALIDATION_ERROR unless a key may expire then. */
export function mustBeAhead(now: number, wanted: number): void {
  if (wanted < now + LEAST_MS) throw invalid('expires_at', `must be a minute ahead at least; it is ${iso(now)} here`);
  if (wanted > now + MOST_MS) throw invalid('expires_at', `must be at most 3,650 days ahead: ${iso(now + MOST_MS)}`);
}

/** When the key that takes another's place expires: after as long as that was made for, and no later than its maker. */
export function nextExpiry(now: number, old: Ending & { created_at: string }, maker: number | null): number | null {
  if (old.valid_until === null) return maker;
  return earlier(now + Math.min(old.valid_until - Date.parse(old.created_at), MOST_MS), maker);
}

export const keyExpired = (valid_until: number): AppError =>
  new AppError(
    'UNAUTHORIZED',
    `This API key expired on ${iso(valid_until)}. Make another, or rotate the next one in time.`,
    { headers: { 'www-authenticate': 'Bearer' } },
  );
