/** So many a second, and at most so many at once. */
export type Rate = { per_second: number; burst: number };

/**
 * What an account's requests are counted by: `read` and `write` by their method, `push` for what agents and pipelines
 * report, `mcp` a message, `send` for what makes the service itself send something at once.
 */
export const ACCOUNT_CLASSES = ['read', 'write', 'push', 'mcp', 'send'] as const;
export type AccountClass = (typeof ACCOUNT_CLASSES)[number];

/**
 * What a client address may do without a good key: open endpoints and refused keys, using up a secret once, and pings,
 * which a whole fleet behind one address may send at the same second.
 */
const ADDRESS_CLASSES = ['open', 'sign-in', 'ping'] as const;
export type AddressClass = (typeof ADDRESS_CLASSES)[number];

/** What one ping URL takes, whoever calls it. */
const URL_CLASSES = ['ping-url'] as const;
type UrlClass = (typeof URL_CLASSES)[number];

export type RateClass = AccountClass | AddressClass | UrlClass;
const CLASSES: readonly RateClass[] = [...ACCOUNT_CLASSES, ...ADDRESS_CLASSES, ...URL_CLASSES];

/** The rate of every class. */
export type Rates = Record<RateClass, Rate>;

const ONE = /^([a-z-]+)=([1-9]\d{0,6})\/([1-9]\d{0,7})$/;

/**
 * Rates as an operator writes them: `push=1000/10000,send=5/20`, a second and at once.
 * @param allowed the classes that may be named
 * @throws Error of one sentence that says what is wrong
 */
export function readRates<C extends RateClass>(text: string, allowed: readonly C[]): Partial<Record<C, Rate>> {
  const rates: Partial<Record<C, Rate>> = {};
  for (const part of text.split(',')) {
    const [, name, perSecond, burst] = ONE.exec(part.trim()) ?? [];
    if (name === undefined)
      throw new Error(`"${part.trim()}" is not <class>=<a second>/<at once>, as in push=500/5000`);
    const known = allowed.find((one) => one === name);
    if (!known) throw new Error(`there is no class "${name}"; there are ${allowed.join(', ')}`);
    if (rates[known]) throw new Error(`"${name}" is there twice`);
    rates[known] = { per_second: Number(perSecond), burst: Number(burst) };
  }
  return rates;
}

/**
 * The rates that hold: those of the setting RATE_LIMITS, else the host's own.
 * @param setting `off`, empty, or a list; its shape was validated with the settings
 * @returns undefined when nothing is limited
 */
export const ratesIn = (setting: string, own: Rates): Rates | undefined =>
  setting === 'off' ? undefined : { ...own, ...(setting !== '' && readRates(setting, CLASSES)) };

/** What is wrong with a value of RATE_LIMITS; undefined when nothing is. */
export function rateListProblem(setting: string): string | undefined {
  if (setting === '' || setting === 'off') return undefined;
  try {
    readRates(setting, CLASSES);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** How many tokens a bucket held at a time (epoch ms). */
export type Bucket = { tokens: number; at: number };

/** A bucket that nobody has taken from. */
export const fullBucket = ({ burst }: Rate, now: number): Bucket => ({ tokens: burst, at: now });

/** The same bucket now. A clock that was set back fills nothing, and takes nothing away. */
export const refilled = ({ tokens, at }: Bucket, { per_second, burst }: Rate, now: number): Bucket => ({
  tokens: Math.min(burst, tokens + (Math.max(0, now - at) * per_second) / 1000),
  at: now,
});

/** What a bucket says to one who asks: its rate, what is left, and when to come again if it gave nothing. */
export type RateStatus = {
  allowed: boolean;
  rate: Rate;
  /** Whole tokens that are left. */
  left: number;
  /** Seconds until it is full again. */
  reset_s: number;
  /** Seconds until what was asked for is there; 0 when it was given. */
  retry_s: number;
};

/**
 * Takes tokens from a bucket; all or none. More than a whole bucket is asked for at once: a full one gives it, and is
 * empty then.
 * @param bucket as of now
 */
export function takeFrom(bucket: Bucket, rate: Rate, count = 1): { bucket: Bucket; standing: RateStatus } {
  const wanted = Math.min(count, rate.burst);
  const allowed = bucket.tokens >= wanted;
  const tokens = allowed ? bucket.tokens - wanted : bucket.tokens;
  const seconds = (missing: number) => Math.ceil(Math.max(0, missing) / rate.per_second);
  return {
    bucket: { tokens, at: bucket.at },
    standing: {
      allowed,
      rate,
      left: Math.floor(tokens),
      reset_s: seconds(rate.burst - tokens),
      retry_s: allowed ? 0 : Math.max(1, seconds(wanted - tokens)),
    },
  };
}

/** Holds accounts and addresses to their rates. It never throws: where it fails, it lets in. */
export interface Limiter {
  /** What holds for an account without rates of its own, and for an address; undefined: nothing is limited. */
  rates: Rates | undefined;
  /**
   * An answer counts once more for each further so many characters, where one process serves all accounts. Undefined
   * where each request has a process to itself.
   */
  characters_a_token?: number;
  /** Takes `count` of what an account may do in a class, at the rate that holds for it. */
  takeOf(account: string, of: AccountClass, rate: Rate, count: number): RateStatus | Promise<RateStatus>;
  /** Takes one of what a client address may do without a good key. Undefined where nothing is limited. */
  takeAt(address: string, of: AddressClass): RateStatus | undefined;
}
