import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Keys } from '#lib/keys.ts';
import { SCOPES } from '#lib/platform/http/access.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/members.ts';
import { pick } from '#lib/platform/pick.ts';
import type { Ids, Item } from '#lib/platform/ports.ts';
import { Name } from '#lib/platform/text.ts';
import { iso } from '#lib/platform/time.ts';
import type { AccountItem, Limits, RateLimits, Role, UserItem } from './account.ts';

const READ_ONLY = 'Whether it may only read; fixed for its lifetime. Secrets are shown to it as ********.';

const SCOPES_TEXT = 'What alone it may do, within the role of its user; null: all of that.';
const Scopes = z.array(z.enum(SCOPES)).min(1).max(SCOPES.length);

export const NewKey = z
  .object({
    label: Name.describe('What the key is for, such as "dashboard".'),
    is_read_only: z.boolean().describe(READ_ONLY).default(false),
    scopes: Scopes.nullable().default(null).describe(SCOPES_TEXT),
  })
  .meta({ id: 'NewApiKey' });
export type NewKey = z.infer<typeof NewKey>;

export const KeyRecord = z
  .object({
    id: IdOf('the key'),
    label: z.string().describe('What the key is for.'),
    is_read_only: z.boolean().describe(READ_ONLY),
    scopes: Scopes.nullable().describe(SCOPES_TEXT),
    prefix: z.string().describe('The first 8 characters of the raw key, to tell keys apart.'),
    created_at: CreatedAt,
    created_by: IdOf('the user it belongs to, whose role it has'),
    last_used_at: z.iso.datetime().nullable().describe('When it was used last, give or take an hour; null: never.'),
  })
  .meta({ id: 'ApiKey' });
export type KeyRecord = z.infer<typeof KeyRecord>;

/** A new key: the only answer that ever holds the raw key. */
export const IssuedKey = KeyRecord.extend({ key: z.string().describe('The raw key: fw_…. Shown this once.') }).meta({
  id: 'IssuedApiKey',
});
export type IssuedKey = z.infer<typeof IssuedKey>;

/** What key items copy from their account; change-account.ts keeps the copies up to date. */
export type AccountCopy = {
  account_disabled: boolean;
  retention_days: number;
  rollup_days: number;
  egress: Limits['egress'];
  rate_limits: RateLimits;
};

export const copyOf = (account: AccountItem): AccountCopy => ({
  account_disabled: account.disabled,
  retention_days: account.retention_days,
  rollup_days: account.rollup_days,
  egress: account.egress,
  rate_limits: account.rate_limits,
});

/** A key, under the digest of its raw form. It carries the principal, so that one read answers the Bearer gate. */
export type ApiKeyItem = Item &
  KeyRecord &
  AccountCopy & {
    v: string;
    tenant_id: string;
    user_id: string;
    user_email: string;
    role: Role;
  };

/** The key among its tenant's. */
export type ApiKeyPointer = Item & { digest: string; user_id: string };

/** What is stored of a raw key. It has 256 random bits, so that a plain hash is enough. */
export const digestOf = (raw: string): string => createHash('sha256').update(raw).digest('hex');

/** What is drawn for a new key once, before any try to write it. */
export type Draw = { raw: string; id: string; v: string };

export const drawKey = (ids: Ids): Draw => ({ raw: `fw_${ids.secret()}`, id: ids.id('key'), v: ids.token() });

/** The items of a key, not yet written. */
export function keyItemsOf(
  { raw, id, v }: Draw,
  now: number,
  keys: Keys,
  account: AccountItem,
  user: UserItem,
  input: NewKey,
): { item: ApiKeyItem; pointer: ApiKeyPointer } {
  const digest = digestOf(raw);
  const item: ApiKeyItem = {
    ...keys.apiKey(digest),
    v,
    id,
    tenant_id: user.tenant_id,
    user_id: user.id,
    user_email: user.email,
    role: user.role,
    ...copyOf(account),
    label: input.label,
    is_read_only: input.is_read_only,
    scopes: input.scopes,
    prefix: raw.slice(0, 8),
    created_at: iso(now),
    created_by: user.id,
    last_used_at: null,
  };
  return { item, pointer: { ...keys.apiKeyPointer(user.tenant_id, id), digest, user_id: user.id } };
}

export const keyRecord = (item: ApiKeyItem): KeyRecord => pick(KeyRecord, item);
