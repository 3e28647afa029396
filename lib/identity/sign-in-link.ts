import * as z from 'zod';
import { type AccountItem, accountDisabled, isDisabled, isInvited, type UserItem } from '#lib/access/account.ts';
import { assertKeyDoesNotExpire, digestOf } from '#lib/access/api-key.ts';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context, MutationContext, TenantScope } from '#lib/access/context.ts';
import { firstAdmin, requireAccount } from '#lib/access/store.ts';
import { withoutSessions } from '#lib/identity/sessions/end-sessions.ts';
import { auditedUser } from '#lib/identity/team/team.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import { serviceOriginOf } from '#lib/platform/http/service-host.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { HOUR_MS, iso } from '#lib/platform/time.ts';
import { credentialKeys } from './credentials.ts';
import { findOneTime, type OneTime, oneTime, useOnce } from './one-time.ts';

/** Validity of a link in ms, by its creator. Operators mostly create links for their own use. */
const LINK_MS = { operator: HOUR_MS, admin: 24 * HOUR_MS };

export const NewLink = z
  .object({
    revoke: z
      .boolean()
      .default(false)
      .describe(
        'Whether to delete passkeys and identities and end all sessions of the user immediately. Keys stay. Default: false.',
      ),
  })
  .meta({ id: 'NewSignInLink' });

export const SignInLink = z
  .object({
    url: z.string().describe('URL for the user, for a single sign-in. Shown only once.'),
    expires_at: z.iso.datetime().describe('Expiry time.'),
  })
  .meta({ id: 'SignInLink' });
export type SignInLink = z.infer<typeof SignInLink>;

/** Pointer from the digest of a token to the user. The token is valid until it is used, replaced, or expires. */
type LinkItem = OneTime & { tenant_id: string; user_id: string };

const TOKEN = /^fwl_[0-9A-Za-z]{43}$/;

/** Returns the URL of a link. The fragment is sent to no server, so that no log or proxy sees the token. */
const linkUrl = (address: string, token: string): string => `${address}/#/link/${token}`;

/** Creates a link for a user. Throws NOT_FOUND, CONFLICT, and FORBIDDEN for a key that expires or a foreign host. */
export async function linkByAdmin(
  context: Context,
  userId: string,
  { revoke }: z.output<typeof NewLink>,
  { host, origin }: Record<string, string | undefined>,
): Promise<SignInLink> {
  const { settings } = context.ports;
  assertKeyDoesNotExpire(context.caller, 'access by a sign-in link');
  // The Origin header counts only with a session: pages of other origins can also send requests with a key.
  const address =
    settings.PUBLIC_URL || serviceOriginOf(context.session ? { host, origin } : { host }, settings).origin;
  const { token, valid_until } = await createLink(context, userId, { ms: LINK_MS.admin, revoke });
  return { url: linkUrl(address, token), expires_at: iso(valid_until) };
}

/** Creates a link on behalf of the operator, for a user or else the oldest admin. Throws as createLink does. */
export async function linkByOperator(
  scope: MutationContext,
  address: string,
  { userId, revoke = false }: { userId?: string | undefined; revoke?: boolean } = {},
): Promise<SignInLink & { user_id: string }> {
  const user_id = userId ?? (await firstAdmin(scope)).id;
  const { token, valid_until } = await createLink(scope, user_id, { ms: LINK_MS.operator, revoke });
  return { url: linkUrl(address, token), expires_at: iso(valid_until), user_id };
}

/**
 * Creates a link that replaces an earlier one. Throws NOT_FOUND, ACCOUNT_DISABLED, CONFLICT.
 * `ms`: validity. `revoke`: also deletes passkeys, identities and sessions.
 */
export function createLink(
  scope: MutationContext,
  userId: string,
  { ms, revoke = false }: { ms: number; revoke?: boolean },
): Promise<{ token: string; valid_until: number }> {
  const { ports, keys, tenant } = scope;
  const token = `fwl_${ports.ids.secret()}`;
  const digest = digestOf(token);
  const owner = { tenant_id: tenant, user_id: userId };
  const link: LinkItem = oneTime(ports, keys.signInLink(digest), ms, owner);
  const { valid_until } = link;
  const v = ports.ids.token();
  const auditWrites = auditWriter(scope, 'link', auditedUser);
  return retryOnConflict(ports, async () => {
    if (isDisabled(await requireAccount(scope))) throw accountDisabled();
    const before = await ports.table.get<UserItem>(keys.user(tenant, userId));
    if (!before) throw notFound(`User ${userId}`);
    // An earlier attempt succeeded, but its response was lost.
    if (before.v === v) return { token, valid_until };
    if (isInvited(before)) throw notYetMember(before);
    const { next, deletes } = revoke ? await withoutSessions(scope, before) : { next: before, deletes: [] };
    const user: UserItem = {
      ...next,
      v,
      link: { digest, valid_until },
      ...(revoke && { passkeys: [], identities: [] }),
    };
    const toDelete = revoke ? before : { ...before, passkeys: [], identities: [] };
    const outcome = await commit(ports, [
      { put: user, if: { version: before.v } },
      { put: link, if: 'absent' },
      ...credentialKeys(keys, toDelete).map((key) => ({ delete: key })),
      ...deletes,
      ...auditWrites(before, user, { valid_until: iso(valid_until), ...(revoke && { revoke: 'true' }) }),
    ]);
    return outcome.ok ? { token, valid_until } : RETRY;
  });
}

const notYetMember = ({ email }: UserItem): AppError =>
  new AppError('CONFLICT', `${email} has not accepted the invitation yet. Invite the user again for a new token.`);

/** Valid link and its use: write `user` at the version of `before`, together with `use`. */
type FoundLink = { account: AccountItem; before: UserItem; user: UserItem; use: Write };

/** Finds the user of a link. Throws ACCOUNT_DISABLED, and the same UNAUTHORIZED for every invalid link. */
export async function findLink(
  { ports, keys }: Pick<TenantScope, 'ports' | 'keys'>,
  token: string,
): Promise<FoundLink> {
  const digest = digestOf(token);
  const item = TOKEN.test(token) ? await findOneTime<LinkItem>(ports, keys.signInLink(digest)) : undefined;
  if (!item) throw noLink();
  const [before, account] = await ports.table.getMany<[UserItem, AccountItem]>([
    keys.user(item.tenant_id, item.user_id),
    keys.account(item.tenant_id),
  ]);
  if (!account || before?.link?.digest !== digest) throw noLink();
  if (isDisabled(account)) throw accountDisabled();
  const { link: _used, ...rest } = before;
  return { account, before, user: { ...rest, v: ports.ids.token() }, use: useOnce(item) };
}

const noLink = (): AppError =>
  new AppError(
    'UNAUTHORIZED',
    'The sign-in link is invalid, incomplete, expired, or was used or replaced. Ask an admin of the account or the ' +
      'operator for a new one.',
  );
