import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import { AppError } from '#lib/platform/errors.ts';
import { ROLES } from '#lib/platform/http/access.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { AccountClass, Rate } from '#lib/platform/sharing/rates.ts';
import { Name, text } from '#lib/platform/text.ts';
import type { Settings } from '#lib/settings.ts';

/** Plan limits of an account, set by the operator: docs/operate/limits.md#account-limits. */
export const Limits = z.object({
  blueprint_limit: z.int().min(0).max(10_000).describe('Maximum number of blueprints.'),
  entity_limit_per_bp: z.int().min(0).max(1_000_000).describe('Maximum number of entities per blueprint.'),
  // Deleting an entity deletes its checks in one transaction, which has at most 100 writes.
  check_limit_per_entity: z.int().min(0).max(90).describe('Maximum number of checks per entity.'),
  check_limit: z.int().min(0).max(10_000_000).describe('Maximum number of checks over all entities.'),
  checks_per_minute_limit: z
    .int()
    .min(0)
    .max(10_000_000)
    .describe(
      'Maximum number of probes per minute: the sum of 60 / interval_seconds over all enabled checks except push checks.',
    ),
  expressions_per_minute_limit: z
    .int()
    .min(0)
    .max(10_000_000)
    .describe(
      'Maximum number of regular expression evaluations per minute: the sum of 60 / interval_seconds over the expressions of all enabled checks.',
    ),
  // At least 10, because one alert can have ten addresses.
  mails_per_hour_limit: z
    .int()
    .min(10)
    .max(100_000)
    .describe(
      'Maximum number of mails to channels per hour, with a burst of the same size; each address counts. Further alerts wait and are combined.',
    ),
  alerts_per_minute_limit: z
    .int()
    .min(1)
    .max(10_000_000)
    .describe(
      'Maximum number of alert messages per minute over all channels, with a burst of the same size. Further alerts wait and are combined.',
    ),
  relation_limit: z.int().min(0).max(1_000_000).describe('Maximum number of relations.'),
  key_limit_per_user: z.int().min(1).max(1000).describe('Maximum number of API keys per user.'),
  user_limit: z.int().min(1).max(5000).describe('Maximum number of members and pending invitations together.'),
  invitation_limit: z.int().min(0).max(5000).describe('Maximum number of pending invitations.'),
  retention_days: z
    .int()
    .min(1)
    .max(3650)
    .describe('Retention of results in days. Transitions, deliveries and executions are kept for at least 90.'),
  // Limited because a history query reads every day that it covers, for all checks of a cell.
  rollup_days: z
    .int()
    .min(30)
    .max(1100)
    .describe('Retention of daily and monthly history in days. Hourly history is kept for at most 90.'),
  egress: z
    .enum(['public', 'any'])
    .describe(
      'Addresses that checks and channels may reach. public: public addresses. any: all that the operator allows.',
    ),
});
export type Limits = z.infer<typeof Limits>;

export const DEFAULT_LIMITS: Limits = {
  blueprint_limit: 50,
  entity_limit_per_bp: 1000,
  check_limit_per_entity: 25,
  check_limit: 50_000,
  // A thousand per second: a quarter of the capacity of one machine.
  checks_per_minute_limit: 60_000,
  // Two expressions in each check of a fleet of 6,000 checks per minute.
  expressions_per_minute_limit: 12_000,
  mails_per_hour_limit: 60,
  // Ten per second: if a thousand checks fail at once, alerts beyond the burst wait and are combined.
  alerts_per_minute_limit: 600,
  relation_limit: 10_000,
  key_limit_per_user: 100,
  user_limit: 500,
  invitation_limit: 100,
  retention_days: 30,
  rollup_days: 400,
  egress: 'public',
};

/** Whether Unicode NFKC leaves an e-mail address as it is. Others are ambiguous: the Kelvin sign could pass for `k`. */
export function isNormalEmail(email: string): boolean {
  return email.normalize('NFKC') === email;
}

/** E-mail address: text around one @, without invisible characters or characters with a meaning in mail or HTML. */
export const Email = text(3, 254)
  .regex(/^[^\s@"<>()[\]\\,;:]+@[^\s@"<>()[\]\\,;:]+$/, {
    error: 'must be an e-mail address, such as ann@example.com',
    abort: true,
  })
  .refine((value) => !/\p{C}/u.test(value), 'must not contain control or invisible characters')
  .refine(isNormalEmail, 'must not contain characters that Unicode (NFKC) replaces, such as ﬁ or the Kelvin sign');

/** Returns the form in which equal e-mail addresses are identical. */
export const foldedEmail = (email: string): string => email.normalize('NFC').toLowerCase();

export const Role = z
  .enum(ROLES)
  .describe(
    'viewer: may read, without secrets. responder: may also run actions and checks, test channels, acknowledge ' +
      'failures, manage incidents, and suppress alerts of selected checks for up to a day. member: may also change the catalog, ' +
      'checks, alerts and skills. admin: may also change actions, status pages, badges, the team and the account.',
  );
export type Role = z.infer<typeof Role>;

/** Account, as returned by GET /v1/me. */
export const AccountRecord = z
  .object({
    id: IdOf('the account; the tenant_id of events'),
    email: z.string().describe('Contact address; not used to sign in.'),
    name: z.string().describe('Name of the account.'),
    ...Limits.shape,
  })
  .meta({ id: 'Account' });
export type AccountRecord = z.infer<typeof AccountRecord>;

export const NewAccount = z.object({ email: Email, name: Name, ...Limits.partial().shape });
export type NewAccount = z.infer<typeof NewAccount>;

export const AccountPatch = z
  .object({
    name: Name.describe('Name of the account.').optional(),
    email: Email.optional().describe('Contact address; not used to sign in.'),
  })
  .meta({ id: 'AccountPatch' });
export type AccountPatch = z.infer<typeof AccountPatch>;

export const accountRecord = (item: AccountRecord): AccountRecord => pick(AccountRecord, item);

/** Rates of an account that override the setting RATE_LIMITS. */
export type RateLimits = Partial<Record<AccountClass, Rate>>;

/** Stored account, which is a tenant. About 600 bytes. */
export type AccountItem = Item &
  AccountRecord & {
    v: string;
    rate_limits: RateLimits;
    /** Set by the operator; copied to the key items, so that authentication by key needs no second read. */
    disabled: boolean;
    /** Key that signs the links in its alerts (lib/incidents/links). */
    link_key: string;
    /** Time at which it was last enabled again (epoch ms). Heartbeats missed before it do not count. */
    enabled_at?: number;
    created_at: string;
    /** Time of its deletion (ISO 8601): it is permanently disabled, and its data is reclaimed in the background. */
    deleted_at?: string;
  };

const AccountSettings = AccountRecord.omit({ id: true });

export const auditedAccount: Audited<AccountItem> = {
  type: 'account',
  target: ({ id, name }) => ({ id, name }),
  properties: (item) => {
    const { rate_limits, disabled, deleted_at } = item;
    return { ...pick(AccountSettings, item), rate_limits, disabled, deleted_at };
  },
};

/** Ids of the accounts with the same e-mail address, usually one. Its key contains the digest of the address. */
export type AccountEmailItem = Item & { v: string; accounts: string[] };

/** Passkey or identity of a user: id, digest in the key of its own item, and display name. */
export type SignInCredential = { id: string; digest: string; name: string };

export const NO_CREDENTIALS = { passkeys: [], identities: [], session_generation: 0 } satisfies Partial<UserItem>;

/** Stored member of an account, or invited user. About 300 bytes; written with each new or deleted key of the user. */
export type UserItem = Item & {
  v: string;
  tenant_id: string;
  id: string;
  email: string;
  name: string;
  role: Role;
  /** Number of API keys; can include expired keys. */
  keys: number;
  /** Pending invitation: digest of its token, and expiry (epoch ms). */
  invitation?: { digest: string; valid_until: number };
  /** Unused sign-in link: digest of its token, and expiry (epoch ms). */
  link?: { digest: string; valid_until: number };
  /** Adding or removing a passkey or identity writes the user, so that each version of the user lists all of them. */
  passkeys: SignInCredential[];
  identities: SignInCredential[];
  /** Sessions with another generation have ended, except sessions of keys; incremented to end all sessions. */
  session_generation: number;
  /** Whether the user receives the monthly report; absent: no. */
  monthly_report?: boolean;
  created_at: string;
};

/** Whether the invitation is pending: the user is not a member yet and has no keys. */
export const isInvited = (user: UserItem): boolean => user.invitation !== undefined;

/** Whether the operator has disabled this account: its keys, checks and actions. */
export const isDisabled = (account: AccountItem): boolean => account.disabled;

/** Returns the settings of the service for an account: the narrower egress of the two applies. */
export const settingsFor = <S extends Pick<Settings, 'CHECK_EGRESS'>>(
  settings: S,
  { egress }: Pick<Limits, 'egress'>,
): S =>
  egress === 'public' && settings.CHECK_EGRESS !== 'public' ? { ...settings, CHECK_EGRESS: 'public' } : settings;

export const accountDisabled = (): AppError =>
  new AppError('ACCOUNT_DISABLED', 'This account was disabled by the operator of this service. Ask them to enable it.');
