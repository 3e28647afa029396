import { type AccountItem, accountDisabled, isDisabled, type UserItem } from '#lib/access/account.ts';
import { digestOf, drawKey, keyItemsOf } from '#lib/access/api-key.ts';
import { asPerson, auditing } from '#lib/access/auditing.ts';
import type { Context } from '#lib/access/context.ts';
import { fullKey } from '#lib/access/new-key.ts';
import type { Sent } from '#lib/access/sessions/cookie.ts';
import { invitedEmailKey } from '#lib/access/team/invited-email.ts';
import type { Note } from '#lib/audit/write.ts';
import type { Env } from '#lib/env.ts';
import { beginSession } from '#lib/identity/sessions/begin-session.ts';
import { AppError } from '#lib/platform/errors.ts';
import { Reply } from '#lib/platform/http/route.ts';
import type { Write } from '#lib/platform/ports.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { type Acceptance, type Accepted, auditedUser, type InvitationItem, teamMember } from './team.ts';

/**
 * Makes the invited person a member, with a first key, shown here and never again, and with a session, as they like.
 * The account is that of the invitation; it is looked up by the digest of its token, so that the time it takes
 * reveals nothing about any token. Throws NOT_FOUND, in the same words whether the token never was, was used,
 * replaced, withdrawn or has expired: who merely guesses learns nothing. Throws ACCOUNT_DISABLED, and what
 * beginSession throws.
 */
export async function acceptInvitation(
  context: Omit<Context, 'tenant' | 'caller'>,
  { token, name, key: wantsKey, session: wantsSession }: Acceptance,
  sent: Sent,
): Promise<Reply<Accepted>> {
  const { ports, keys } = context;
  const { tenant_id: tenant, user_id, digest } = await findInvitation(context, token);
  const draw = wantsKey ? drawKey(ports.ids) : undefined;
  const v = ports.ids.token();
  let tried: Reply<Accepted> | undefined;
  let note: Note<UserItem> | undefined;

  return untilDone(ports, async () => {
    const [user, account] = await ports.table.getMany<[UserItem, AccountItem]>([
      keys.user(tenant, user_id),
      keys.account(tenant),
    ]);
    // A try before did it, whose answer was lost.
    if (tried && user?.v === v) return tried;
    const now = ports.clock.now();
    if (user?.invitation?.digest !== digest || user.invitation.valid_until <= now) throw noInvitation();
    if (isDisabled(account!)) throw accountDisabled();

    // Theirs, who is known only from here on.
    note ??= auditing({ ...context, tenant, caller: asPerson(user) }, 'accept', auditedUser);
    const { invitation: _used, ...invited } = user;
    const member: UserItem = { ...invited, v, name, keys: draw ? 1 : 0 };
    const first = draw && keyItemsOf(draw, now, keys, account!, member, fullKey('First key'));
    const began = wantsSession
      ? await beginSession(context, 'invitation', { user: member, account: account! }, sent)
      : undefined;
    const accepted = { user: teamMember(member), key: draw?.raw ?? null, session: began?.record ?? null };
    tried = new Reply(accepted, {}, began ? [began.cookie] : []);
    const outcome = await commit(ports, [
      { put: member, if: { version: user.v } },
      ...(first ? [first.item, first.pointer].map((put): Write => ({ put, if: 'absent' })) : []),
      { check: keys.account(tenant), if: { version: account!.v } },
      { delete: keys.invitation(digest) },
      { delete: invitedEmailKey(keys, user) },
      ...(began?.writes ?? []),
      ...note(user, member),
    ]);
    return outcome.ok ? tried : AGAIN;
  });
}

/**
 * Whom an invitation is for, which the user item alone confirms. Throws NOT_FOUND where there is none of that token.
 */
export async function findInvitation(
  { ports, keys }: Env<'table'>,
  token: string,
): Promise<{ tenant_id: string; user_id: string; digest: string }> {
  const digest = digestOf(token);
  const found = await ports.table.get<InvitationItem>(keys.invitation(digest));
  if (!found) throw noInvitation();
  return { tenant_id: found.tenant_id, user_id: found.user_id, digest };
}

const noInvitation = (): AppError =>
  new AppError(
    'NOT_FOUND',
    'There is no such invitation: it was used, replaced or withdrawn, is older than 7 days, or the token is wrong. ' +
      'Ask an admin of the account for a new one.',
  );
