import type { Limits } from '#lib/access/account.ts';
import { ACCOUNT_CLASSES, type AccountClass, type Rate, readRates } from '#lib/platform/sharing/rates.ts';
import { UsageError } from './flags.ts';

/** The option of each plan limit of an account. */
const LIMITS = {
  blueprints: 'blueprint_limit',
  entities: 'entity_limit_per_bp',
  checks: 'check_limit_per_entity',
  'all-checks': 'check_limit',
  'checks-per-minute': 'checks_per_minute_limit',
  relations: 'relation_limit',
  keys: 'key_limit_per_user',
  users: 'user_limit',
  invitations: 'invitation_limit',
  'retention-days': 'retention_days',
  'rollup-days': 'rollup_days',
} as const satisfies Record<string, keyof Limits>;

type LimitOption = keyof typeof LIMITS | 'egress' | 'rate';
const NUMBERS = Object.keys(LIMITS) as (keyof typeof LIMITS)[];

export const LIMIT_OPTIONS: readonly LimitOption[] = [...NUMBERS, 'egress', 'rate'];

export const LIMIT_FLAGS = Object.fromEntries(LIMIT_OPTIONS.map((name) => [name, { type: 'string' }])) as {
  [K in LimitOption]: { type: 'string' };
};

export const LIMIT_USAGE = `\
      --blueprints N         blueprints                  --entities N       entities of one blueprint
      --checks N             checks of one entity        --all-checks N     checks of the account
      --checks-per-minute N  runs of all its checks      --relations N      relations
      --keys N               API keys of a user          --users N          people, invited ones too
      --invitations N        pending invitations         --retention-days N days that results are kept
      --rollup-days N        days that history is kept by the day (30 to 1,100)
      --egress public|any    where its checks and channels may go, within CHECK_EGRESS
      --rate C=N/N[,...]     requests a second and at once of a class: ${ACCOUNT_CLASSES.join(', ')};
                             C=default gives the class back to the setting RATE_LIMITS`;

type Options = { [K in LimitOption]?: string | undefined };

/** What `account set-limits` was told to set. Throws a UsageError of one sentence. */
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

/** Where an account may go, if the operator said so. Throws a UsageError. */
export function egressIn({ egress }: { egress?: string | undefined }): Limits['egress'] | undefined {
  if (egress === undefined || egress === 'public' || egress === 'any') return egress;
  throw wrong(`--egress must be public or any, not "${egress}"`);
}

const wrong = (what: string): UsageError => new UsageError(`${what}.`);

function whole(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw wrong(`--${name} must be a whole number, not "${text}"`);
  return Number(text);
}

const DEFAULT = '=default';

/** `push=1000/10000,read=default`: null stands for the rate of the setting. */
function ratesOf(text: string): Partial<Record<AccountClass, Rate | null>> {
  const parts = text.split(',').map((part) => part.trim());
  const cleared = parts.filter((part) => part.endsWith(DEFAULT)).map((part) => part.slice(0, -DEFAULT.length));
  const unknown = cleared.find((name) => !ACCOUNT_CLASSES.includes(name as AccountClass));
  if (unknown !== undefined) {
    throw wrong(`--rate: there is no class "${unknown}"; there are ${ACCOUNT_CLASSES.join(', ')}`);
  }
  const given = parts.filter((part) => !part.endsWith(DEFAULT)).join(',');
  try {
    const rates = given === '' ? {} : readRates(given, ACCOUNT_CLASSES);
    return { ...rates, ...Object.fromEntries(cleared.map((name) => [name, null])) };
  } catch (error) {
    throw wrong(`--rate: ${(error as Error).message}`);
  }
}
