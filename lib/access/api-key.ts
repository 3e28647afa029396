import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import type { Keys } from '#lib/keys.ts';
import { AppError, invalid } from '#lib/platform/errors.ts';
import { SCOPES } from '#lib/platform/http/access.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Ids, Item } from '#lib/platform/ports.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import { type AccountItem, Limits, type RateLimits, type Role, type UserItem } from './account.ts';
import { type NewKey, READ_ONLY, RESTRICTIONS } from './new-key.ts';

const [MIN_LIFETIME_MS, MAX_LIFETIME_MS] = [60_000, 3650 * DAY_MS];
const LISTED_MS = 90 * DAY_MS;

/** Expiry of a key, epoch ms; null: never. `expires_at` of its item is the deletion from the table, epoch seconds. */
export type Expiry = { valid_until: number | null };

export const endingAt = (valid_until: number | null): Expiry & { expires_at?: number } =>
  valid_until === null ? { valid_until } : { valid_until, expires_at: Math.ceil((valid_until + LISTED_MS) / 1000) };

export const isExpired = ({ valid_until }: Expiry, now: number): boolean => valid_until !== null && valid_until <= now;

/** Whether a key is expired and no longer listed; the table may take days to delete it. */
export const isForgotten = ({ valid_until }: Expiry, now: number): boolean =>
  valid_until !== null && valid_until + LISTED_MS <= now;

export const earlier = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);

const outlives = (end: number | null, makerExpiry: number | null): boolean =>
  makerExpiry !== null && (end === null || end > makerExpiry);

/** Throws FORBIDDEN if the caller's key has an expiry: what it creates must not outlive it. @param what `a passkey` */
export function assertKeyDoesNotExpire({ valid_until }: Expiry, what: string): void {
  if (!outlives(null, valid_until)) return;
  throw new AppError(
    'FORBIDDEN',
    `This key expires on ${iso(valid_until!)}, and ${what} would outlive it. Use a key that does not expire, or sign in ` +
      'without a key.',
  );
}

/** Returns the expiry of a new key (epoch ms): `wanted`; if null, that of the creating key. Throws VALIDATION_ERROR. */
export function expiryOf(now: number, wanted: number | null, makerExpiry: number | null): number | null {
  if (wanted === null) return makerExpiry;
  assertKeyExpiry(now, wanted);
  if (!outlives(wanted, makerExpiry)) return wanted;
  throw invalid('expires_at', `must not be later than ${iso(makerExpiry!)}, when the creating key expires`);
}

/** Throws VALIDATION_ERROR unless this expiry is allowed. */
export function assertKeyExpiry(now: number, wanted: number): void {
  if (wanted < now + MIN_LIFETIME_MS)
    throw invalid('expires_at', `must be at least 1 minute ahead; the time of the service is ${iso(now)}`);
  if (wanted > now + MAX_LIFETIME_MS)
    throw invalid('expires_at', `must be at most 3,650 days ahead: ${iso(now + MAX_LIFETIME_MS)}`);
}

/** Returns the expiry after a rotation (epoch ms): the same lifetime again, at most until the creating key expires. */
export function nextExpiry(
  now: number,
  old: Expiry & { created_at: string },
  makerExpiry: number | null,
): number | null {
  if (old.valid_until === null) return makerExpiry;
  return earlier(now + Math.min(old.valid_until - Date.parse(old.created_at), MAX_LIFETIME_MS), makerExpiry);
}

export const keyExpired = (valid_until: number): AppError =>
  new AppError(
    'UNAUTHORIZED',
    `This API key expired on ${iso(valid_until)}. Create another one, and rotate it before it expires.`,
    { headers: { 'www-authenticate': 'Bearer' } },
  );

export const KeyRecord = z
  .object({
    id: IdOf('the key'),
    label: z.string().describe('Purpose of the key.'),
    is_read_only: z.boolean().describe(READ_ONLY),
    scopes: z.array(z.enum(SCOPES)).nullable().describe(RESTRICTIONS.scopes),
    check_ids: z.array(z.string()).nullable().describe(RESTRICTIONS.check_ids),
    entity_ids: z.array(z.string()).nullable().describe(RESTRICTIONS.entity_ids),
    skills: z.array(z.string()).nullable().describe(RESTRICTIONS.skills),
    prefix: z.string().describe('First 8 characters of the raw key, to identify it.'),
    status: z.enum(['active', 'expired']).describe('active: accepted. expired: rejected; listed for 90 days.'),
    expires_at: z.iso.datetime().nullable().describe('Expiry time; null if it does not expire.'),
    created_at: CreatedAt,
    created_by: IdOf('the user of the key, whose role it has'),
    last_used_at: z.iso
      .datetime()
      .nullable()
      .describe('Time of its last use, accurate to an hour; null if never used.'),
    last_used_from: z.string().nullable().describe('Client address of its last use; null if unknown.'),
    rotated_from: z.string().nullable().describe('Id of the key that it replaced.'),
    rotated_to: z.string().nullable().describe('Id of the key that replaced it.'),
  })
  .meta({ id: 'ApiKey' });
export type KeyRecord = z.infer<typeof KeyRecord>;

/** New key: the only response with the raw key. */
export const IssuedKey = KeyRecord.extend({ key: z.string().describe('Raw key: fw_…. Shown only once.') }).meta({
  id: 'IssuedApiKey',
});
export type IssuedKey = z.infer<typeof IssuedKey>;

/** Account properties that every caller has. Keys have copies, so that a request by key does not read the account. */
export const CopiedToKeys = Limits.pick({ retention_days: true, rollup_days: true, egress: true }).extend({
  rate_limits: z.custom<RateLimits>(),
});
export type CopiedToKeys = z.output<typeof CopiedToKeys>;

type AccountCopy = CopiedToKeys & { account_disabled: boolean };

export const copyOf = (account: AccountItem): AccountCopy => ({
  account_disabled: account.disabled,
  ...pick(CopiedToKeys, account),
});

/** Stored key, under the digest of its raw form. It contains the principal, so that authentication needs one read. */
export type ApiKeyItem = Item &
  Omit<KeyRecord, 'status' | 'expires_at'> &
  AccountCopy &
  Expiry & {
    v: string;
    tenant_id: string;
    user_id: string;
    user_email: string;
    role: Role;
  };

/** Pointer to a key in the partition of its tenant. */
export type ApiKeyPointer = Item & Expiry & { digest: string; user_id: string };

/** Returns the stored digest of a raw key. It has 256 random bits, so a plain hash is sufficient. */
export const digestOf = (raw: string): string => createHash('sha256').update(raw).digest('hex');

/** Random values of a new key, generated once before any attempt to write it. */
export type GeneratedApiKey = { raw: string; id: string; v: string };

export const generateApiKey = (ids: Ids): GeneratedApiKey => ({
  raw: `fw_${ids.secret()}`,
  id: ids.id('key'),
  v: ids.token(),
});

/** Returns the unwritten items of a key. @param input with `expires_at` in epoch ms */
export function keyItemsOf(
  { raw, id, v }: GeneratedApiKey,
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
  properties: (key) => pick(KeySettings, { ...key, expires_at: expiresAt(key) }),
};
