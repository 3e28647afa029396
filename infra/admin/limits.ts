import { UsageError } from '#infra/flags.ts';
import type { Limits } from '#lib/access/account.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import { ACCOUNT_CLASSES, type AccountClass, type Rate, readRates } from '#lib/platform/sharing/rates.ts';

const LIMITS = {
  blueprints: 'blueprint_limit',
  entities: 'entity_limit_per_bp',
  checks: 'check_limit_per_entity',
  'all-checks': 'check_limit',
  'checks-per-minute': 'checks_per_minute_limit',
  'expressions-per-minute': 'expressions_per_minute_limit',
  'mails-per-hour': 'mails_per_hour_limit',
  'alerts-per-minute': 'alerts_per_minute_limit',
  relations: 'relation_limit',
  keys: 'key_limit_per_user',
  users: 'user_limit',
  invitations: 'invitation_limit',
  'retention-days': 'retention_days',
  'rollup-days': 'rollup_days',
} as const satisfies Record<string, keyof Limits>;

type LimitOption = keyof typeof LIMITS | 'egress' | 'rate';
const NUMBERS = namesOf(LIMITS);

export const LIMIT_OPTIONS: readonly LimitOption[] = [...NUMBERS, 'egress', 'rate'];

export const LIMIT_FLAGS = Object.fromEntries(LIMIT_OPTIONS.map((name) => [name, { type: 'string' }])) as {
  [K in LimitOption]: { type: 'string' };
};

export const LIMIT_USAGE = `\
      --blueprints N         blueprints                  --entities N       entities per blueprint
      --checks N             checks per entity           --all-checks N     checks of the account
      --checks-per-minute N  probes per minute           --relations N      relations
      --expressions-per-minute N  regular expressions evaluated per minute
      --mails-per-hour N     mails of channels per hour, each to one address
      --alerts-per-minute N  messages with alerts per minute
      --keys N               API keys per user           --users N          users, including invited ones
      --invitations N        pending invitations         --retention-days N days that results are kept
      --rollup-days N        days that daily history is kept (30 to 1,100)
      --egress public|any    addresses that checks and channels may reach, within CHECK_EGRESS
      --rate C=N/N[,...]     requests (store: KB) per second and burst of a class: ${ACCOUNT_CLASSES.join(', ')};
                             C=default resets the class to the setting RATE_LIMITS`;

type Options = { [K in LimitOption]?: string | undefined };

/** Parses the options of `account set-limits`. Throws UsageError. */
export function limitsIn(options: Options): {
  limits: Partial<Limits>;
  rates: Partial<Record<AccountClass, Rate | null>>;
} {
  const given = NUMBERS.filter((name) => options[name] !== undefined);
  const egress = egressIn(options);
  if (given.length === 0 && egress === undefined && options.rate === undefined) {
    throw wrong(`account set-limits needs at least one of ${LIMIT_OPTIONS.map((name) => `--${name}`).join(', ')}`);
  }
  const limits = Object.fromEntries(given.map((name) => [LIMITS[name], whole(name, options[name]!)]));
  return {
    limits: { ...limits, ...(egress && { egress }) },
    rates: options.rate === undefined ? {} : ratesOf(options.rate),
  };
}

/** Parses --egress; undefined if absent. Throws UsageError. */
export function egressIn({ egress }: { egress?: string | undefined }): Limits['egress'] | undefined {
  if (egress === undefined || egress === 'public' || egress === 'any') return egress;
  throw wrong(`--egress must be public or any, not "${egress}"`);
}

const wrong = (message: string): UsageError => new UsageError(`${message}.`);

function whole(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw wrong(`--${name} must be a whole number, not "${text}"`);
  return Number(text);
}

const DEFAULT = '=default';

/** Parses `push=1000/10000,read=default`: null means the rate of the setting. */
function ratesOf(text: string): Partial<Record<AccountClass, Rate | null>> {
  const parts = text.split(',').map((part) => part.trim());
  const cleared = parts.filter((part) => part.endsWith(DEFAULT)).map((part) => part.slice(0, -DEFAULT.length));
  const unknown = cleared.find((name) => !ACCOUNT_CLASSES.includes(name as AccountClass));
  if (unknown !== undefined) {
    throw wrong(`--rate: "${unknown}" is not a class; use ${ACCOUNT_CLASSES.join(', ')}`);
  }
  const given = parts.filter((part) => !part.endsWith(DEFAULT)).join(',');
  try {
    const rates = given === '' ? {} : readRates(given, ACCOUNT_CLASSES);
    return { ...rates, ...Object.fromEntries(cleared.map((name) => [name, null])) };
  } catch (error) {
    throw wrong(`--rate: ${(error as Error).message}`);
  }
}
