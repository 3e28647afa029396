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
import { HELD_TO, type NewKey, READ_ONLY } from './new-key.ts';

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

/** The members of an account that every caller carries, so that a call by key needs no read of the account. */
export const CopiedToKeys = Limits.pick({ retention_days: true, rollup_days: true, egress: true }).extend({
  rate_limits: z.custom<RateLimits>(),
});
export type CopiedToKeys = z.output<typeof CopiedToKeys>;

/** What key items copy from their account; change-account.ts keeps the copies up to date. */
type AccountCopy = CopiedToKeys & { account_disabled: boolean };

export const copyOf = (account: AccountItem): AccountCopy => ({
  account_disabled: account.disabled,
  ...pick(CopiedToKeys, account),
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
