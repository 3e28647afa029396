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
  properties: ({ method, user_id }) => ({ method, user_id }),
};

/** Pointer to a session in the partition of its user. */
export type SessionPointer = Item & { digest: string };

/** User and account of a session, as read; `key`: API key of a session that a key started. */
export type Principals = { user: UserItem; account: AccountItem; key?: ApiKeyItem };

/** Returns the latest end of a session that starts now, epoch ms. @param key API key that starts the session */
export function latestEnd(
  method: SignInMethod,
  now: number,
  { SESSION_DAYS }: Pick<Settings, 'SESSION_DAYS'>,
  key?: Pick<ApiKeyItem, 'valid_until'>,
): number {
  const latest = Math.min(now + SESSION_DAYS * DAY_MS, key?.valid_until ?? Number.POSITIVE_INFINITY);
  if (method === 'link') return Math.min(latest, now + 12 * HOUR_MS);
  // After a day the provider must confirm again that the user has access.
  if (method === 'oidc') return Math.min(latest, now + 24 * HOUR_MS);
  return latest;
}

/** Returns the time at which a session ends if it is not used again, epoch ms. */
export const endOf = (
  { valid_until, last_seen_at }: Pick<SessionItem, 'valid_until' | 'last_seen_at'>,
  { SESSION_IDLE_DAYS }: Pick<Settings, 'SESSION_IDLE_DAYS'>,
): number => Math.min(valid_until, Date.parse(last_seen_at) + SESSION_IDLE_DAYS * DAY_MS);

/** Whether all sessions of the user were ended after this one started. Does not apply to a session of a key. */
export const isOver = ({ generation }: SessionItem, { session_generation }: UserItem): boolean =>
  generation !== session_generation;

export const SessionRecord = z
  .object({
    id: IdOf('the session'),
    method: z.enum(SIGN_IN_METHODS).describe('Sign-in method.'),
    user: z
      .object({
        id: IdOf('the user'),
        email: z.string().describe('E-mail address of the user.'),
        name: z.string().describe('Name of the user.'),
      })
      .describe('Signed-in user.'),
    account: z
      .object({ id: IdOf('the account'), name: z.string().describe('Name of the account.') })
      .describe('Account of the session.'),
    role: Role,
    scopes: z
      .array(z.enum(SCOPES))
      .nullable()
      .describe('Scopes of its key; null: all permissions of the role, or only read access if the key is read-only.'),
    created_at: CreatedAt,
    last_seen_at: z.iso.datetime().describe('Time of its last use, accurate to an hour.'),
    last_seen_from: z.string().describe('Client address of its last use.'),
    user_agent: z.string().describe('User agent that signed in.'),
    expires_at: z.iso.datetime().describe('Time at which the session ends if it is not used again.'),
    current: z.boolean().describe('Whether it is the session of this request.'),
  })
  .meta({ id: 'Session' });
export type SessionRecord = z.infer<typeof SessionRecord>;

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
