import * as z from 'zod';
import { type AccountItem, Role, type UserItem } from '#lib/access/account.ts';
import type { ApiKeyItem } from '#lib/access/api-key.ts';
import { type SessionItem, SIGN_IN_METHODS, type SignInMethod } from '#lib/access/session-item.ts';
import type { Audited } from '#lib/audit/write.ts';
import { SCOPES } from '#lib/platform/http/access.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/route.ts';
import type { Item } from '#lib/platform/ports.ts';
import { DAY_MS, HOUR_MS, iso } from '#lib/platform/time.ts';
import type { Settings } from '#lib/settings.ts';

export const auditedSession: Audited<SessionItem> = {
  type: 'session',
  target: ({ id, method, user_id }) => ({ id, name: `a session by ${method}`, within: [user_id] }),
  members: ({ method, user_id }) => ({ method, user_id }),
};

/** The session among its user's. */
export type SessionPointer = Item & { digest: string };

/** Who signed in, as they were read before; with a key, also that. */
export type Principals = { user: UserItem; account: AccountItem; key?: ApiKeyItem };

/** Epoch ms at which a session that begins now ends at the latest. @param key that it stands for */
export function latestEnd(
  method: SignInMethod,
  now: number,
  { SESSION_DAYS }: Pick<Settings, 'SESSION_DAYS'>,
  key?: Pick<ApiKeyItem, 'valid_until'>,
): number {
  const longest = Math.min(now + SESSION_DAYS * DAY_MS, key?.valid_until ?? Number.POSITIVE_INFINITY);
  if (method === 'link') return Math.min(longest, now + 12 * HOUR_MS);
  // After that the provider is asked again whether they still belong.
  if (method === 'oidc') return Math.min(longest, now + 24 * HOUR_MS);
  return longest;
}

/** Epoch ms at which it ends, unless it is used before. */
export const endOf = (
  { valid_until, last_seen_at }: Pick<SessionItem, 'valid_until' | 'last_seen_at'>,
  { SESSION_IDLE_DAYS }: Pick<Settings, 'SESSION_IDLE_DAYS'>,
): number => Math.min(valid_until, Date.parse(last_seen_at) + SESSION_IDLE_DAYS * DAY_MS);

/** Whether all sessions of the user have ended since it began. One that stands for a key goes by the key instead. */
export const isOver = ({ generation }: SessionItem, { session_generation }: UserItem): boolean =>
  generation !== session_generation;

export const SessionRecord = z
  .object({
    id: IdOf('the session'),
    method: z.enum(SIGN_IN_METHODS).describe('How they signed in.'),
    user: z
      .object({
        id: IdOf('the user'),
        email: z.string().describe('Of the user.'),
        name: z.string().describe('Of the user.'),
      })
      .describe('Who signed in.'),
    account: z
      .object({ id: IdOf('the account'), name: z.string().describe('What the account is called.') })
      .describe('Where they are signed in.'),
    role: Role,
    scopes: z.array(z.enum(SCOPES)).nullable().describe('Of the key that it stands for; null: whatever the role may.'),
    created_at: CreatedAt,
    last_seen_at: z.iso.datetime().describe('When it was used last, give or take an hour.'),
    last_seen_from: z.string().describe('The address it was used from then.'),
    user_agent: z.string().describe('The browser that signed in, as it calls itself.'),
    expires_at: z.iso.datetime().describe('When it ends, unless it is used before.'),
    current: z.boolean().describe('Whether it is the one that asks.'),
  })
  .meta({ id: 'Session' });
export type SessionRecord = z.infer<typeof SessionRecord>;

/** What the interface shows of a session. */
export function sessionRecord(
  item: SessionItem,
  { user, account, key }: Principals,
  settings: Settings,
  current: boolean,
): SessionRecord {
  const { id, method, created_at, last_seen_at, last_seen_from, user_agent } = item;
  return {
    id,
    method,
    user: { id: user.id, email: user.email, name: user.name },
    account: { id: account.id, name: account.name },
    role: key?.role ?? user.role,
    scopes: key?.scopes ?? null,
    created_at,
    last_seen_at,
    last_seen_from,
    user_agent,
    expires_at: iso(endOf(item, settings)),
    current,
  };
}
