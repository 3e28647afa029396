import { type AccountItem, accountDisabled, isDisabled, type UserItem } from '#lib/access/account.ts';
import { type ApiKeyItem, CopiedToKeys, digestOf } from '#lib/access/api-key.ts';
import { admitBy, authenticate, callerOf, gates, originOf } from '#lib/access/authenticate.ts';
import type { Context } from '#lib/access/context.ts';
import { UNRESTRICTED } from '#lib/access/restriction.ts';
import type { SessionItem } from '#lib/access/session-item.ts';
import type { Env } from '#lib/env.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Gates, Sender } from '#lib/platform/http/router.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { HOUR_MS, iso } from '#lib/platform/time.ts';
import { assertSameOriginRequest, sessionToken } from './same-origin.ts';
import { endOf, isOver } from './session.ts';

/** Returns gates that authenticate by key or, on same-origin pages, by session cookie. Other gates accept only keys. */
export const sessionGates = <E extends Env>(env: E): Gates<Context & E> => ({
  ...gates(env),
  authenticate: (sender) => admitBy(env, sender, authenticatePage),
});

/**
 * Authenticates by session cookie with three strongly consistent reads (session, user, account), or two for the session
 * of a key. Removed users, changed roles, disabled accounts and deleted keys take effect on the next request. An
 * `Authorization` header has precedence. Throws UNAUTHORIZED, ACCOUNT_DISABLED, FORBIDDEN for pages of other origins.
 */
async function authenticatePage<E extends Env>(env: E, sender: Sender): Promise<Context & E> {
  const { ports, keys } = env;
  if (sender.headers.authorization !== undefined) return authenticate(env, sender);
  const token = sessionToken(sender, ports.settings);
  if (token === undefined) return authenticate(env, sender);
  assertSameOriginRequest(sender.method, sender.headers, ports.settings);
  const session = await ports.table.get<SessionItem>(keys.session(digestOf(token)));
  if (!session || endOf(session, ports.settings) <= ports.clock.now()) throw sessionEnded();
  const caller = await (session.key_digest === undefined
    ? userCaller(env, session)
    : keyCaller(env, session.key_digest, sender.address));
  noteUse(env, sender, session);
  const origin = { ...originOf(sender), via: 'console' as const };
  return { ...env, tenant: session.tenant_id, caller, origin, session };
}

/**
 * Returns the caller of a session that no key started. Throws UNAUTHORIZED for a removed user or ended sessions,
 * ACCOUNT_DISABLED.
 */
async function userCaller({ ports, keys }: Env, session: SessionItem): Promise<Context['caller']> {
  const [user, account] = await ports.table.getMany<[UserItem, AccountItem]>([
    keys.user(session.tenant_id, session.user_id),
    keys.account(session.tenant_id),
  ]);
  if (!user || !account || isOver(session, user)) throw sessionEnded();
  if (isDisabled(account)) throw accountDisabled();
  return {
    tenant_id: user.tenant_id,
    user_id: user.id,
    user_email: user.email,
    key_id: '',
    key_label: '',
    role: user.role,
    scopes: null,
    is_read_only: false,
    ...UNRESTRICTED,
    valid_until: null,
    ...pick(CopiedToKeys, account),
  };
}

async function keyCaller({ ports, keys }: Env, digest: string, address: string): Promise<Context['caller']> {
  const key = await ports.table.get<ApiKeyItem>(keys.apiKey(digest));
  if (!key) throw sessionEnded();
  return callerOf(ports, key, address);
}

/** Returns the same error for every cause, so that an old cookie reveals nothing. */
const sessionEnded = (): AppError => new AppError('UNAUTHORIZED', 'This session has ended. Sign in again.');

/** Records time and address of the use asynchronously, at most once an hour. On conflict, the use is not recorded. */
function noteUse({ ports }: Env, { address }: Sender, session: SessionItem): void {
  const now = ports.clock.now();
  if (now - Date.parse(session.last_seen_at) < HOUR_MS) return;
  const seen: SessionItem = { ...session, v: ports.ids.token(), last_seen_at: iso(now), last_seen_from: address };
  ports.table.transact([{ put: seen, if: { version: session.v } }]).catch((error: unknown) => {
    const { tenant_id, id: session_id } = session;
    ports.log.warn('session use not written', { tenant_id, session_id, error });
  });
}
