import { type AccountItem, accountDisabled, isDisabled, type UserItem } from '#lib/access/account.ts';
import { digestOf, drawKey, keyItemsOf } from '#lib/access/api-key.ts';
import type { Scope } from '#lib/access/context.ts';
import { AppError } from '#lib/platform/errors.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { invitedEmailKey } from './invited-email.ts';
import { type Acceptance, type Accepted, type InvitationItem, teamMember } from './team.ts';

/**
 * Makes the invited person a member, with a first key, shown here and never again. The account is that of the
 * invitation; it is looked up by the digest of its token, so that the time it takes reveals nothing about any token.
 * Throws NOT_FOUND, in the same words whether the token never was, was used, replaced, withdrawn or has expired: who
 * merely guesses learns nothing. Throws ACCOUNT_DISABLED.
 */
export async function acceptInvitation(
  { ports, keys }: Omit<Scope, 'tenant'>,
  { token, name }: Acceptance,
): Promise<Accepted> {
  const digest = digestOf(token);
  const found = await ports.table.get<InvitationItem>(keys.invitation(digest));
  if (!found) throw noInvitation();
  const { tenant_id: tenant, user_id } = found;
  const draw = drawKey(ports.ids);
  const v = ports.ids.token();

  return untilDone(ports, async () => {
    const [user, account] = await ports.table.getMany<[UserItem, AccountItem]>([
      keys.user(tenant, user_id),
      keys.account(tenant),
    ]);
    // A try before did it, whose answer was lost.
    if (user?.v === v) return { user: teamMember(user), key: draw.raw };
    const now = ports.clock.now();
    if (user?.invitation?.digest !== digest || user.invitation.valid_until <= now) throw noInvitation();
    if (isDisabled(account!)) throw accountDisabled();

    const { invitation: _used, ...invited } = user;
    const member: UserItem = { ...invited, v, name, keys: 1 };
    const label = { label: 'First key', is_read_only: false, scopes: null };
    const { item, pointer } = keyItemsOf(draw, now, keys, account!, member, label);
    const outcome = await commit(ports, [
      { put: member, if: { version: user.v } },
      { put: item, if: 'absent' },
      { put: pointer, if: 'absent' },
      { check: keys.account(tenant), if: { version: account!.v } },
      { delete: keys.invitation(digest) },
      { delete: invitedEmailKey(keys, user) },
    ]);
    return outcome.ok ? { user: teamMember(member), key: draw.raw } : AGAIN;
  });
}

const noInvitation = (): AppError =>
  new AppError(
    'NOT_FOUND',
    'There is no such invitation: it was used, replaced or withdrawn, is older than 7 days, or the token is wrong. ' +
      'Ask an admin of the account for a new one.',
  );
