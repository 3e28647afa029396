import type { UserItem } from '#lib/access/account.ts';
import type { ApiKeyItem } from '#lib/access/api-key.ts';
import type { Context } from '#lib/access/context.ts';
import type { SignInMethod } from '#lib/access/session-item.ts';
import { type BegunSession, beginSession, signIn } from '#lib/identity/sessions/begin-session.ts';
import type { Principals } from '#lib/identity/sessions/session.ts';
import { pageGates } from '#lib/identity/sessions/session-gate.ts';
import type { MemoryWorld } from './memory-world.ts';

const HOST = { host: 'localhost:8787' };

/** Signs a user in. @returns the session and what a browser then sends */
export async function begin(
  world: MemoryWorld,
  context: Context,
  { user, account }: Pick<Principals, 'user' | 'account'>,
  method: SignInMethod = 'passkey',
  { before = [], ...byKey }: { before?: string[]; key?: ApiKeyItem; key_digest?: string } = {},
): Promise<{ begun: BegunSession; cookie: string }> {
  const who = { user, account, ...byKey };
  let begun: BegunSession | undefined;
  await signIn(context, async () => {
    begun = await beginSession({ ...world, origin: context.origin }, method, who, { headers: HOST, cookies: before });
    return { begun, uses: [] };
  });
  return { begun: begun!, cookie: begun!.cookie.split(';', 1)[0]! };
}

/** The user as it is stored. */
export const userOf = async ({ store, keys }: MemoryWorld, { tenant_id, id }: UserItem): Promise<UserItem> =>
  (await store.get<UserItem>(keys.user(tenant_id, id)))!;

/** What the gate makes of a read by a page with such a cookie. */
export const withCookie = (world: MemoryWorld, cookie: string): Promise<Context> =>
  pageGates(world).authenticate({
    method: 'GET',
    headers: HOST,
    cookies: [cookie],
    address: '192.0.2.1',
    request_id: 'r',
  });

/** The same as a word. */
export const accessOf = (world: MemoryWorld, cookie: string): Promise<string> =>
  withCookie(world, cookie).then(
    ({ caller }) => caller.role,
    (error) => error.code,
  );
