import {
  type AccountItem,
  accountDisabled,
  foldedEmail,
  isDisabled,
  isInvited,
  isNormalEmail,
  NO_CREDENTIALS,
  type UserItem,
} from '#lib/access/account.ts';
import { digestOf, generateApiKey, keyItemsOf } from '#lib/access/api-key.ts';
import { auditWriter, userAsCaller } from '#lib/access/audit-writer.ts';
import type { Context, MutationContext } from '#lib/access/context.ts';
import { fullKey } from '#lib/access/new-key.ts';
import { requireAccount } from '#lib/access/store.ts';
import type { AuditWriter } from '#lib/audit/write.ts';
import type { Env } from '#lib/env.ts';
import { beginSession } from '#lib/identity/sessions/begin-session.ts';
import type { Sent } from '#lib/identity/sessions/same-origin.ts';
import type { Keys } from '#lib/keys.ts';
import { AppError } from '#lib/platform/errors.ts';
import { Reply } from '#lib/platform/http/route.ts';
import type { Item, Key, Write } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import {
  type Acceptance,
  type Accepted,
  auditedUser,
  changeTeam,
  INVITATION_MS,
  type InvitationItem,
  type Invited,
  isSameEmail,
  type NewInvitation,
  teamMember,
} from './team.ts';

/** Pointer from an e-mail address to an invited user; the user item decides whether it is valid. */
type InvitedEmailItem = Item & { tenant_id: string; user_id: string };

/** Returns the table key of the pointer from an e-mail address, which is deleted with the invitation. */
export const invitedEmailKey = (keys: Keys, { tenant_id, id, email }: UserItem): Key =>
  keys.invitedEmail(digestOf(foldedEmail(email)), tenant_id, id);

/** Returns the pointer, to be written with the invitation. @param expires_at expiry of the invitation, epoch seconds */
const invitedEmailItem = (keys: Keys, user: UserItem, expires_at: number): InvitedEmailItem => ({
  ...invitedEmailKey(keys, user),
  tenant_id: user.tenant_id,
  user_id: user.id,
  expires_at,
});

/** Finds the users, of any account, whose invitation for this e-mail address is pending. */
export async function findInvitedUsers({ ports, keys }: Env<'table' | 'clock'>, email: string): Promise<UserItem[]> {
  if (!isNormalEmail(email)) return [];
  const partition = keys.invitedEmails(digestOf(foldedEmail(email)));
  const pointers = await allOf<InvitedEmailItem>(ports.table, { partition });
  const users = await ports.table.getMany<UserItem>(pointers.map((one) => keys.user(one.tenant_id, one.user_id)));
  return users
    .filter((user) => user !== undefined)
    .filter((user) => isPending(user, ports.clock.now()) && foldedEmail(user.email) === foldedEmail(email));
}

const isPending = (user: UserItem, now: number): boolean => isInvited(user) && user.invitation!.valid_until > now;

/** Invites a user, or replaces the token and role of an invitation. Throws CONFLICT, LIMIT_EXCEEDED. */
export function inviteUser(scope: MutationContext, { email, role }: NewInvitation): Promise<Invited> {
  const { ports, keys, tenant } = scope;
  const [id, v, token] = [ports.ids.id('usr'), ports.ids.token(), `fwi_${ports.ids.secret()}`];
  const digest = digestOf(token);
  const now = ports.clock.now();
  const valid_until = now + INVITATION_MS;

  const auditWrites = auditWriter(scope, 'invite', auditedUser);

  return changeTeam(scope, async (users, teamWrite) => {
    const known = users.find((user) => isSameEmail(user.email, email));
    // An earlier attempt succeeded, but its response was lost.
    if (known?.v === v) return { ...teamMember(known), invite_token: token };
    if (known && !isInvited(known)) throw new AppError('CONFLICT', `${known.email} is already a member of this team.`);

    if (!known) assertTeamLimits(users, await requireAccount(scope));
    const made = { ...keys.user(tenant, id), tenant_id: tenant, id, name: '', keys: 0, created_at: iso(now) };
    const user: UserItem = {
      ...(known ?? { ...made, ...NO_CREDENTIALS }),
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
      teamWrite,
      { put: user, if: known ? { version: known.v } : 'absent' },
      { put: invitation, if: 'absent' },
      { put: invitedEmailItem(keys, user, invitation.expires_at) },
      ...auditWrites(known, user),
    ];
    if (known?.invitation) writes.push({ delete: keys.invitation(known.invitation.digest) });
    const outcome = await commit(ports, writes);
    return outcome.ok ? { ...teamMember(user), invite_token: token } : RETRY;
  });
}

function assertTeamLimits(users: UserItem[], { user_limit, invitation_limit }: AccountItem): void {
  if (users.length >= user_limit) {
    throw new AppError(
      'LIMIT_EXCEEDED',
      `The team already has ${users.length} of ${user_limit} users (user_limit). Remove one, or ask the operator for more.`,
    );
  }
  const pending = users.filter(isInvited).length;
  if (pending < invitation_limit) return;
  throw new AppError(
    'LIMIT_EXCEEDED',
    `The team already has ${pending} of ${invitation_limit} pending invitations (invitation_limit). Withdraw one, or ` +
      'wait for an acceptance.',
  );
}

/**
 * Makes the invited user a member and creates, if requested, a first key and a session. The invitation is looked up by
 * the digest of its token, so that timing reveals nothing about any token. Throws the same NOT_FOUND for every invalid
 * token, so that guessing reveals nothing; ACCOUNT_DISABLED, and the errors of beginSession.
 */
export async function acceptInvitation(
  context: Omit<Context, 'tenant' | 'caller'>,
  { token, name, key: wantsKey, session: wantsSession }: Acceptance,
  sent: Sent,
): Promise<Reply<Accepted>> {
  const { ports, keys } = context;
  const { tenant_id: tenant, user_id, digest } = await findInvitation(context, token);
  const draw = wantsKey ? generateApiKey(ports.ids) : undefined;
  const v = ports.ids.token();
  let tried: Reply<Accepted> | undefined;
  let auditWrites: AuditWriter<UserItem> | undefined;

  return retryOnConflict(ports, async () => {
    const [user, account] = await ports.table.getMany<[UserItem, AccountItem]>([
      keys.user(tenant, user_id),
      keys.account(tenant),
    ]);
    // An earlier attempt succeeded, but its response was lost.
    if (tried && user?.v === v) return tried;
    const now = ports.clock.now();
    if (user?.invitation?.digest !== digest || user.invitation.valid_until <= now) throw noInvitation();
    if (isDisabled(account!)) throw accountDisabled();

    auditWrites ??= auditWriter({ ...context, tenant, caller: userAsCaller(user) }, 'accept', auditedUser);
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
      ...auditWrites(user, member),
    ]);
    return outcome.ok ? tried : RETRY;
  });
}

/** Finds the user of an invitation. Only the user item shows whether it is still valid. Throws NOT_FOUND if unknown. */
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
    'The invitation is invalid, older than 7 days, or was used, replaced or withdrawn. Ask an admin of the account for a ' +
      'new one.',
  );
