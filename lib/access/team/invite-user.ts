import { type AccountItem, isInvited, NO_SIGN_IN, type UserItem } from '#lib/access/account.ts';
import { digestOf } from '#lib/access/api-key.ts';
import { auditing } from '#lib/access/auditing.ts';
import type { Changing } from '#lib/access/context.ts';
import { requireAccount } from '#lib/access/store.ts';
import {
  auditedUser,
  INVITATION_MS,
  type InvitationItem,
  type Invited,
  isSameEmail,
  type NewInvitation,
  teamMember,
} from '#lib/identity/team/team.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Write } from '#lib/platform/ports.ts';
import { AGAIN, commit } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { changeTeam } from './change-team.ts';
import { invitedEmailItem } from './invited-email.ts';

/**
 * Invites a person to the account of the caller. For a pending invitation this renews the token and sets the role; the
 * old token dies. Throws CONFLICT for a member's e-mail address, LIMIT_EXCEEDED.
 */
export function inviteUser(scope: Changing, { email, role }: NewInvitation): Promise<Invited> {
  const { ports, keys, tenant } = scope;
  const [id, v, token] = [ports.ids.id('usr'), ports.ids.token(), `fwi_${ports.ids.secret()}`];
  const digest = digestOf(token);
  const now = ports.clock.now();
  const valid_until = now + INVITATION_MS;

  const note = auditing(scope, 'invite', auditedUser);

  return changeTeam(scope, async (users, turn) => {
    const known = users.find((user) => isSameEmail(user.email, email));
    // A try before did it, whose answer was lost.
    if (known?.v === v) return { ...teamMember(known), invite_token: token };
    if (known && !isInvited(known)) throw new AppError('CONFLICT', `${known.email} is a member of this team already.`);

    if (!known) mustHaveRoom(users, await requireAccount(scope));
    const made = { ...keys.user(tenant, id), tenant_id: tenant, id, name: '', keys: 0, created_at: iso(now) };
    const user: UserItem = {
      ...(known ?? { ...made, ...NO_SIGN_IN }),
      v,
      email,
      role,
      invitation: { digest, valid_until },
    };
    const invitation = {
      ...keys.invitation(digest),
      tenant_id: tenant,
      user_id: user.id,
      expires_at: Math.ceil(valid_until / 1000),
    } satisfies InvitationItem;
    const writes: Write[] = [
      turn,
      { put: user, if: known ? { version: known.v } : 'absent' },
      { put: invitation, if: 'absent' },
      { put: invitedEmailItem(keys, user, invitation.expires_at) },
      ...note(known, user),
    ];
    if (known?.invitation) writes.push({ delete: keys.invitation(known.invitation.digest) });
    const outcome = await commit(ports, writes);
    return outcome.ok ? { ...teamMember(user), invite_token: token } : AGAIN;
  });
}

function mustHaveRoom(users: UserItem[], { user_limit, invitation_limit }: AccountItem): void {
  if (users.length >= user_limit) {
    throw new AppError(
      'LIMIT_EXCEEDED',
      `The team has ${users.length} people, and the plan allows ${user_limit} (user_limit). Remove one or ask for more.`,
    );
  }
  const pending = users.filter(isInvited).length;
  if (pending < invitation_limit) return;
  throw new AppError(
    'LIMIT_EXCEEDED',
    `${pending} invitations are pending, and the plan allows ${invitation_limit} (invitation_limit). Withdraw one, or ` +
      'wait until one is accepted.',
  );
}
