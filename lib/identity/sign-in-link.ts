import * as z from 'zod';
import { type AccountItem, accountDisabled, isDisabled, isInvited, type UserItem } from '#lib/access/account.ts';
import { digestOf } from '#lib/access/api-key.ts';
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

/** How long a link is good: that of the operator is mostly for themselves. */
const LINK_MS = { operator: HOUR_MS, admin: 24 * HOUR_MS };

export const NewLink = z
  .object({
    revoke: z
      .boolean()
      .default(false)
      .describe('Whether their passkeys, identities and sessions end at once, as after a loss. Keys stay.'),
  })
  .meta({ id: 'NewSignInLink' });

export const SignInLink = z
  .object({
    url: z.string().describe('To be opened once, by the user. Shown this once.'),
    expires_at: z.iso.datetime().describe('Until when it is good.'),
  })
  .meta({ id: 'SignInLink' });
export type SignInLink = z.infer<typeof SignInLink>;

/** Leads from the digest of a token to the user; the user item says whether the token still holds. */
type LinkItem = OneTime & { tenant_id: string; user_id: string };

/** Anything else cannot be a token and is not looked up. */
const TOKEN = /^fwl_[0-9A-Za-z]{43}$/;

/** Where a link leads. What stands behind # is sent to no server, so that no log and no proxy sees the token. */
const linkUrl = (address: string, token: string): string => `${address}/#/link/${token}`;

/**
 * A link for a user of the caller's account. Throws NOT_FOUND, CONFLICT, and FORBIDDEN at an address that is not
 * ours.
 */
export async function linkByAdmin(
  context: Context,
  userId: string,
  { revoke }: z.output<typeof NewLink>,
  { host, origin }: Record<string, string | undefined>,
): Promise<SignInLink> {
  const { settings } = context.ports;
  // Pages of other origins may call with a key.
  const address =
    settings.PUBLIC_URL || serviceOriginOf(context.session ? { host, origin } : { host }, settings).origin;
  const { token, valid_until } = await makeLink(context, userId, { ms: LINK_MS.admin, revoke });
  return { url: linkUrl(address, token), expires_at: iso(valid_until) };
}

/**
 * A link of the operator, for whoever they name, or the oldest admin. Throws as makeLink does.
 * @param address of the service, in a browser
 */
export async function linkByOperator(
  scope: MutationContext,
  address: string,
  { userId, revoke = false }: { userId?: string | undefined; revoke?: boolean } = {},
): Promise<SignInLink & { user_id: string }> {
  const user_id = userId ?? (await firstAdmin(scope)).id;
  const { token, valid_until } = await makeLink(scope, user_id, { ms: LINK_MS.operator, revoke });
  return { url: linkUrl(address, token), expires_at: iso(valid_until), user_id };
}

/**
 * A link that signs a user in once; one made before is good no more. Throws NOT_FOUND, ACCOUNT_DISABLED, and CONFLICT
 * for an invitation that is still pending.
 * @param more `ms`: how long it is good; `revoke`: passkeys, identities and sessions of the user end with it
 */
export function makeLink(
  scope: MutationContext,
  userId: string,
  { ms, revoke = false }: { ms: number; revoke?: boolean },
): Promise<{ token: string; valid_until: number }> {
  const { ports, keys, tenant } = scope;
  const token = `fwl_${ports.ids.secret()}`;
  const digest = digestOf(token);
  const whose = { tenant_id: tenant, user_id: userId };
  const link: LinkItem = oneTime(ports, keys.signInLink(digest), ms, whose);
  const { valid_until } = link;
  const v = ports.ids.token();
  const note = auditWriter(scope, 'link', auditedUser);
  return retryOnConflict(ports, async () => {
    if (isDisabled(await requireAccount(scope))) throw accountDisabled();
    const before = await ports.table.get<UserItem>(keys.user(tenant, userId));
    if (!before) throw notFound(`User ${userId}`);
    // A try before did it, whose answer was lost.
    if (before.v === v) return { token, valid_until };
    if (isInvited(before)) throw notYetMember(before);
    const { next, deletes } = revoke ? await withoutSessions(scope, before) : { next: before, deletes: [] };
    const user: UserItem = {
      ...next,
      v,
      link: { digest, valid_until },
      ...(revoke && { passkeys: [], identities: [] }),
    };
    const gone = revoke ? before : { ...before, passkeys: [], identities: [] };
    const outcome = await commit(ports, [
      { put: user, if: { version: before.v } },
      { put: link, if: 'absent' },
      ...credentialKeys(keys, gone).map((key) => ({ delete: key })),
      ...deletes,
      ...note(before, user, { valid_until: iso(valid_until), ...(revoke && { revoke: 'true' }) }),
    ]);
    return outcome.ok ? { token, valid_until } : RETRY;
  });
}

const notYetMember = ({ email }: UserItem): AppError =>
  new AppError('CONFLICT', `${email} has yet to accept an invitation. Invite them again for a new token.`);

/** A link that is good, and how it is used: `user` is written at the version of `before`, with `use` beside it. */
type FoundLink = { account: AccountItem; before: UserItem; user: UserItem; use: Write };

/**
 * Whom a link signs in. Throws UNAUTHORIZED, in the same words whether it never was, was used, replaced or has expired,
 * and ACCOUNT_DISABLED.
 */
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
    'There is no such sign-in link: it was used or replaced, its time is over, or it is not whole. Ask an admin of the ' +
      'account for a new one, or the operator of this service.',
  );
