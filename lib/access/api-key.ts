import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import type { Keys } from '#lib/keys.ts';
import { SCOPES } from '#lib/platform/http/access.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/members.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Ids, Item } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import type { AccountItem, Limits, RateLimits, Role, UserItem } from './account.ts';
import { type Ending, endingAt, isExpired } from './key-expiry.ts';
import { HELD_TO, type NewKey, READ_ONLY } from './new-key.ts';

export const KeyRecord = z
  .object({
    id: IdOf('the key'),
    label: z.string().describe('What the key is for.'),
    is_read_only: z.boolean().describe(READ_ONLY),
    scopes: z.array(z.enum(SCOPES)).nullable().describe(HELD_TO.scopes),
    check_ids: z.array(z.string()).nullable().describe(HELD_TO.check_ids),
    entity_ids: z.array(z.string()).nullable().describe(HELD_TO.entity_ids),
    skills: z.array(z.string()).nullable().describe(HELD_TO.skills),
    prefix: z.string().describe('The first 8 characters of the raw key, to tell keys apart.'),
    status: z.enum(['active', 'expired']).describe('An expired key is refused; it is listed for 90 days.'),
    expires_at: z.iso.datetime().nullable().describe('From when on it is refused; null: never.'),
    created_at: CreatedAt,
    created_by: IdOf('the user it belongs to, whose role it has'),
    last_used_at: z.iso.datetime().nullable().describe('When it was used last, give or take an hour; null: never.'),
    last_used_from: z.string().nullable().describe('From which address that was; null: not known.'),
    rotated_from: z.string().nullable().describe('Id of the key whose place it took.'),
    rotated_to: z.string().nullable().describe('Id of the key that took its place.'),
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
  Omit<KeyRecord, 'status' | 'expires_at'> &
  AccountCopy &
  Ending & {
    v: string;
    tenant_id: string;
    user_id: string;
    user_email: string;
    role: Role;
  };

/** The key among its tenant's. */
export type ApiKeyPointer = Item & Ending & { digest: string; user_id: string };

/** What is stored of a raw key. It has 256 random bits, so that a plain hash is enough. */
export const digestOf = (raw: string): string => createHash('sha256').update(raw).digest('hex');

/** What is drawn for a new key once, before any try to write it. */
export type Draw = { raw: string; id: string; v: string };

export const drawKey = (ids: Ids): Draw => ({ raw: `fw_${ids.secret()}`, id: ids.id('key'), v: ids.token() });

/**
 * The items of a key, not yet written.
 * @param input with `expires_at` in epoch ms, and the id of the key whose place it takes
 */
export function keyItemsOf(
  { raw, id, v }: Draw,
  now: number,
  keys: Keys,
  account: AccountItem,
  user: UserItem,
  { expires_at, rotated_from, ...input }: NewKey & { rotated_from?: string },
): { item: ApiKeyItem; pointer: ApiKeyPointer } {
  const digest = digestOf(raw);
  const ending = endingAt(expires_at);
  const item: ApiKeyItem = {
    ...keys.apiKey(digest),
    v,
    id,
    tenant_id: user.tenant_id,
    user_id: user.id,
    user_email: user.email,
    role: user.role,
    ...copyOf(account),
    ...input,
    ...ending,
    prefix: raw.slice(0, 8),
    created_at: iso(now),
    created_by: user.id,
    last_used_at: null,
    last_used_from: null,
    rotated_from: rotated_from ?? null,
    rotated_to: null,
  };
  return { item, pointer: { ...keys.apiKeyPointer(user.tenant_id, id), digest, user_id: user.id, ...ending } };
}

export const keyRecord = (item: ApiKeyItem, now: number): KeyRecord =>
  pick(KeyRecord, {
    ...item,
    status: isExpired(item, now) ? 'expired' : 'active',
    expires_at: expiresAt(item),
  });

const expiresAt = ({ valid_until }: ApiKeyItem): string | null => (valid_until === null ? null : iso(valid_until));

const KeySettings = KeyRecord.omit({
  id: true,
  prefix: true,
  created_at: true,
  created_by: true,
  last_used_at: true,
  last_used_from: true,
  status: true,
});

export const auditedKey: Audited<ApiKeyItem> = {
  type: 'key',
  target: ({ id, label, created_by }) => ({ id, name: label, within: [created_by] }),
  members: (key) => pick(KeySettings, { ...key, expires_at: expiresAt(key) }),
};
