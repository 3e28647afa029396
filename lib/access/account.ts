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

/** Plan limits of an account, set by the operator. What each of them bounds: docs/operate/limits.md#account-limits. */
export const Limits = z.object({
  blueprint_limit: z.int().min(0).max(10_000).describe('The most blueprints.'),
  entity_limit_per_bp: z.int().min(0).max(1_000_000).describe('The most entities of one blueprint.'),
  // An entity is deleted with its checks in one transaction of at most 100 writes.
  check_limit_per_entity: z.int().min(0).max(90).describe('The most checks of one entity.'),
  check_limit: z.int().min(0).max(10_000_000).describe('The most checks, over all entities.'),
  checks_per_minute_limit: z
    .int()
    .min(0)
    .max(10_000_000)
    .describe('The most probes a minute: the sum of 60 / interval_seconds over all enabled checks but push checks.'),
  relation_limit: z.int().min(0).max(1_000_000).describe('The most relations.'),
  key_limit_per_user: z.int().min(1).max(1000).describe('The most API keys of one user.'),
  user_limit: z.int().min(1).max(5000).describe('The most members and pending invitations together.'),
  invitation_limit: z.int().min(0).max(5000).describe('The most pending invitations.'),
  retention_days: z
    .int()
    .min(1)
    .max(3650)
    .describe('How many days results are kept; transitions, deliveries and executions at least 90.'),
  // A history reads every day it covers, of all checks of a cell.
  rollup_days: z
    .int()
    .min(30)
    .max(1100)
    .describe('How many days history is kept by the day and month; by the hour 90 of them at most.'),
  egress: z
    .enum(['public', 'any'])
    .describe('Where checks and channels may go: public addresses only, or any that the operator allows.'),
});
export type Limits = z.infer<typeof Limits>;

export const DEFAULT_LIMITS: Limits = {
  blueprint_limit: 50,
  entity_limit_per_bp: 1000,
  check_limit_per_entity: 25,
  check_limit: 50_000,
  // A thousand a second: a quarter of what one machine runs at all.
  checks_per_minute_limit: 60_000,
  relation_limit: 10_000,
  key_limit_per_user: 100,
  user_limit: 500,
  invitation_limit: 100,
  retention_days: 30,
  rollup_days: 400,
  egress: 'public',
};

/**
 * Something before and after one @, in characters that are seen and that mean nothing to a mail program or a page;
 * whether mail arrives there is for the mail to show.
 */
export const Email = text(3, 254)
  .regex(/^[^\s@"<>()[\]\\,;:]+@[^\s@"<>()[\]\\,;:]+$/, {
    error: 'must be an e-mail address, such as ann@example.com',
    abort: true,
  })
  .refine((value) => !/\p{C}/u.test(value), 'must not contain control or invisible characters');

/** The form in which two e-mail addresses are the same. */
export const foldedEmail = (email: string): string => email.normalize('NFC').toLowerCase();

export const Role = z
  .enum(ROLES)
  .describe(
    'viewer: may read, without secrets. responder: may also run actions and test channels. member: may also change the ' +
      'catalog, checks, alerts and skills. admin: may also change actions, the team and the account.',
  );
export type Role = z.infer<typeof Role>;

/** The account as GET /v1/me shows it. */
export const AccountRecord = z
  .object({
    id: IdOf('the account, which is the tenant_id of events'),
    email: z.string().describe('A contact; it is no login.'),
    name: z.string().describe('What the account is called.'),
    ...Limits.shape,
  })
  .meta({ id: 'Account' });
export type AccountRecord = z.infer<typeof AccountRecord>;

export const NewAccount = z.object({ email: Email, name: Name, ...Limits.partial().shape });
export type NewAccount = z.infer<typeof NewAccount>;

/** What an admin of the account changes of it. */
export const AccountPatch = z
  .object({
    name: Name.describe('What the account is called.').optional(),
    email: Email.optional().describe('A contact; it is no login.'),
  })
  .meta({ id: 'AccountPatch' });
export type AccountPatch = z.infer<typeof AccountPatch>;

/** What the interface shows of an account. */
export const accountRecord = (item: AccountRecord): AccountRecord => pick(AccountRecord, item);

/** Rates of an account's own, in place of those of the setting RATE_LIMITS. */
export type RateLimits = Partial<Record<AccountClass, Rate>>;

/** An account, which is a tenant. About 600 bytes. */
export type AccountItem = Item &
  AccountRecord & {
    v: string;
    rate_limits: RateLimits;
    /** Set by the operator; its key items carry it too, so that the Bearer gate needs no second read. */
    disabled: boolean;
    /** What links in its alerts are signed with (lib/incidents/links). */
    link_key: string;
    /** Epoch ms of the last enabling, if it ever was disabled: silence counts from here at the earliest. */
    enabled_at?: number;
    /** ISO 8601. */
    created_at: string;
    /** ISO 8601: it is disabled for good, and what it holds is reclaimed in the background. */
    deleted_at?: string;
  };

const AccountSettings = AccountRecord.omit({ id: true });

export const auditedAccount: Audited<AccountItem> = {
  type: 'account',
  target: ({ id, name }) => ({ id, name }),
  members: (item) => {
    const { rate_limits, disabled, deleted_at } = item;
    return { ...pick(AccountSettings, item), rate_limits, disabled, deleted_at };
  },
};

/** The accounts of an e-mail address, under its digest: usually one. */
export type AccountEmailItem = Item & { v: string; accounts: string[] };

/** A passkey or an identity that signs a user in: what its own item stands under, and what people call it. */
export type SignInCredential = { id: string; digest: string; name: string };

/** A user who has nothing to sign in with yet. */
export const NO_CREDENTIALS = { passkeys: [], identities: [], session_generation: 0 } satisfies Partial<UserItem>;

/**
 * A member of an account, or a person invited to it. About 300 bytes; written with each key of theirs that is made or
 * deleted.
 */
export type UserItem = Item & {
  v: string;
  tenant_id: string;
  id: string;
  email: string;
  name: string;
  role: Role;
  /** Keys that it has. */
  keys: number;
  /** There until it is accepted: the digest of its token, and epoch ms. */
  invitation?: { digest: string; valid_until: number };
  /** The sign-in link that holds, until it is used or replaced: the digest of its token, and epoch ms. */
  link?: { digest: string; valid_until: number };
  /** Whoever adds or removes one writes the user, so that a version of it holds them all. */
  passkeys: SignInCredential[];
  /** Of the operator's identity provider; as above. */
  identities: SignInCredential[];
  /** Sessions that began under another number have ended: one more ends them all. */
  session_generation: number;
  /** ISO 8601. */
  created_at: string;
};

/** Whether the invitation is still pending: the user is no member yet and has no keys. */
export const isInvited = (user: UserItem): boolean => user.invitation !== undefined;

/** Whether the operator has stopped this account: its keys, checks and actions. */
export const isDisabled = (account: AccountItem): boolean => account.disabled;

/** The settings of the service as they hold for an account: the narrower egress of the two. */
export const boundTo = <S extends Pick<Settings, 'CHECK_EGRESS'>>(
  settings: S,
  { egress }: Pick<Limits, 'egress'>,
): S =>
  egress === 'public' && settings.CHECK_EGRESS !== 'public' ? { ...settings, CHECK_EGRESS: 'public' } : settings;

export const accountDisabled = (): AppError =>
  new AppError('ACCOUNT_DISABLED', 'This account was disabled by the operator of this service. Ask them to enable it.');
