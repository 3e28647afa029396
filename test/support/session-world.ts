import type { UserItem } from '#lib/access/account.ts';
import type { ApiKeyItem } from '#lib/access/api-key.ts';
import type { Context } from '#lib/access/context.ts';
import type { SignInMethod } from '#lib/access/session-item.ts';
import { type BegunSession, beginSession, signIn } from '#lib/identity/sessions/begin-session.ts';
import type { Principals } from '#lib/identity/sessions/session.ts';
import { sessionGates } from '#lib/identity/sessions/session-gate.ts';
import type { MemoryWorld } from './memory-world.ts';

const HOST = { host: 'localhost:8787' };

/** Signs a user in. @returns the session and its cookie */
export async function begin(
  world: MemoryWorld,
  context: Context,
  { user, account }: Pick<Principals, 'user' | 'account'>,
  method: SignInMethod = 'passkey',
  { before = [], ...byKey }: { before?: string[]; key?: ApiKeyItem; key_digest?: string } = {},
): Promise<{ begun: BegunSession; cookie: string }> {
  const principal = { user, account, ...byKey };
  let begun: BegunSession | undefined;
  await signIn(context, async () => {
    begun = await beginSession({ ...world, origin: context.origin }, method, principal, {
      headers: HOST,
      cookies: before,
    });
    return { begun, uses: [] };
  });
  return { begun: begun!, cookie: begun!.cookie.split(';', 1)[0]! };
}

/** Reads the stored user. */
export const userOf = async ({ store, keys }: MemoryWorld, { tenant_id, id }: UserItem): Promise<UserItem> =>
  (await store.get<UserItem>(keys.user(tenant_id, id)))!;

/** Authenticates a read request of a page with this cookie. */
export const withCookie = (world: MemoryWorld, cookie: string): Promise<Context> =>
  sessionGates(world).authenticate({
    method: 'GET',
    headers: HOST,
    cookies: [cookie],
    address: '192.0.2.1',
    request_id: 'r',
  });

/** Authenticates a read request. @returns the role of the caller, or the error code */
export const outcomeOf = (world: MemoryWorld, cookie: string): Promise<string> =>
  withCookie(world, cookie).then(
    ({ caller }) => caller.role,
    (error) => error.code,
  );
