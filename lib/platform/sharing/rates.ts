/** Tokens per second, and maximum burst. */
export type Rate = { per_second: number; burst: number };

/**
 * Account classes: `push` for agents and pipelines, `mcp` for MCP messages, `send` for requests that immediately cause
 * a message or outbound call, else `read` or `write` by method. `store`: KB that tools and `write` requests may store.
 */
export const ACCOUNT_CLASSES = ['read', 'write', 'push', 'mcp', 'send', 'store'] as const;
export type AccountClass = (typeof ACCOUNT_CLASSES)[number];

/** Returns the `store` tokens of a body of `bytes`: one per KB, at least one because of its audit entry. */
export const storeTokens = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

/** Classes of an address without a valid key. Pings have their own: a whole fleet can send from one address. */
const ADDRESS_CLASSES = ['open', 'sign-in', 'ping'] as const;
export type AddressClass = (typeof ADDRESS_CLASSES)[number];

/** Rate classes of a single ping URL, for all clients together. */
const URL_CLASSES = ['ping-url'] as const;
type UrlClass = (typeof URL_CLASSES)[number];

export type RateClass = AccountClass | AddressClass | UrlClass;
const CLASSES: readonly RateClass[] = [...ACCOUNT_CLASSES, ...ADDRESS_CLASSES, ...URL_CLASSES];

export type Rates = Record<RateClass, Rate>;

const ENTRY = /^([a-z-]+)=([1-9]\d{0,6})\/([1-9]\d{0,7})$/;

/** Parses rates (tokens per second, burst): `push=1000/10000,send=5/20`. Throws an Error for the operator. */
export function readRates<C extends RateClass>(text: string, allowed: readonly C[]): Partial<Record<C, Rate>> {
  const rates: Partial<Record<C, Rate>> = {};
  for (const part of text.split(',')) {
    const [, name, perSecond, burst] = ENTRY.exec(part.trim()) ?? [];
    if (name === undefined)
      throw new Error(`"${part.trim()}" is not <class>=<per second>/<burst>, as in push=500/5000`);
    const known = allowed.find((candidate) => candidate === name);
    if (!known) throw new Error(`"${name}" is not a class; use one of ${allowed.join(', ')}`);
    if (rates[known]) throw new Error(`"${name}" is a duplicate`);
    rates[known] = { per_second: Number(perSecond), burst: Number(burst) };
  }
  return rates;
}

/** Returns the default rates, overridden by the setting RATE_LIMITS; undefined if it is `off`. */
export const ratesIn = (setting: string, defaults: Rates): Rates | undefined =>
  setting === 'off' ? undefined : { ...defaults, ...(setting !== '' && readRates(setting, CLASSES)) };

/** Returns the error in a value of RATE_LIMITS; undefined if it is valid. */
export function rateListProblem(setting: string): string | undefined {
  if (setting === '' || setting === 'off') return undefined;
  try {
    readRates(setting, CLASSES);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Number of tokens at the time `at` (epoch ms). */
export type Bucket = { tokens: number; at: number };

export const fullBucket = ({ burst }: Rate, now: number): Bucket => ({ tokens: burst, at: now });

/** Returns the bucket as of now. A clock that was set back neither adds nor removes tokens. */
export const refilled = ({ tokens, at }: Bucket, { per_second, burst }: Rate, now: number): Bucket => ({
  tokens: Math.min(burst, tokens + (Math.max(0, now - at) * per_second) / 1000),
  at: now,
});

/** State of a bucket after a request for tokens. */
export type RateStatus = {
  allowed: boolean;
  rate: Rate;
  left: number;
  /** Seconds until the bucket is full. */
  reset_s: number;
  /** Seconds until the requested tokens are available; 0 if they were taken. */
  retry_s: number;
};

/** Takes `count` tokens or none; a count above `burst` takes a full bucket. @param bucket as of now */
export function takeFrom(bucket: Bucket, rate: Rate, count = 1): { bucket: Bucket; status: RateStatus } {
  const requested = Math.min(count, rate.burst);
  const allowed = bucket.tokens >= requested;
  const tokens = allowed ? bucket.tokens - requested : bucket.tokens;
  const seconds = (missing: number) => Math.ceil(Math.max(0, missing) / rate.per_second);
  return {
    bucket: { tokens, at: bucket.at },
    status: {
      allowed,
      rate,
      left: Math.floor(tokens),
      reset_s: seconds(rate.burst - tokens),
      retry_s: allowed ? 0 : Math.max(1, seconds(requested - tokens)),
    },
  };
}

/** Takes a token, in advance if none is left. `wait_ms`: time until the token exists. @param bucket as of now */
export const reserveFrom = ({ tokens, at }: Bucket, { per_second }: Rate): { bucket: Bucket; wait_ms: number } => ({
  bucket: { tokens: tokens - 1, at },
  // Rounds up; a rounding error of the division must not add a millisecond.
  wait_ms: Math.max(0, Math.ceil(((1 - tokens) * 1000) / per_second - ROUNDING_MS)),
});
const ROUNDING_MS = 1e-6;

/** Limits requests per account and address. Never throws: if the limiter fails, it allows the request. */
export interface Limiter {
  /** Default rates; undefined if nothing is limited. */
  rates: Rates | undefined;
  /** Characters of a response per additional token, if one process serves all accounts. */
  response_characters_per_token?: number;
  takeForAccount(account: string, of: AccountClass, rate: Rate, count: number): RateStatus | Promise<RateStatus>;
  /** Takes one token of a client address without a valid key. Undefined if nothing is limited. */
  takeForAddress(address: string, of: AddressClass): RateStatus | undefined;
}
