import * as z from 'zod';
import { Email, foldedEmail, isInvited, Role, type UserItem } from '#lib/access/account.ts';
import type { TenantScope } from '#lib/access/context.ts';
import { allUsers } from '#lib/access/store.ts';
import type { Audited } from '#lib/audit/write.ts';
import { SessionRecord } from '#lib/identity/sessions/session.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { oneAtATime, type RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { Name, text } from '#lib/platform/text.ts';

/** How long an invitation may be accepted (docs/use/people-and-keys.md#invite-users): 7 days in ms. */
export const INVITATION_MS = 7 * 24 * 3_600_000;

export const NewInvitation = z
  .object({ email: Email.describe('Whom to invite; no mail is sent, you hand on the token.'), role: Role })
  .meta({ id: 'NewInvitation' });
export type NewInvitation = z.infer<typeof NewInvitation>;

export const TeamMember = z
  .object({
    id: IdOf('the user'),
    email: z.string().describe('Unique within the account, in any case.'),
    name: z.string().describe('Empty while pending: it is given when the invitation is accepted.'),
    role: Role,
    status: z.enum(['active', 'pending']).describe('pending: invited, and has yet to accept.'),
    passkeys: z.int().describe('How many passkeys they have.'),
    identities: z.int().describe('How many identities of the identity provider are linked to them.'),
    created_at: CreatedAt,
  })
  .meta({ id: 'TeamMember' });
export type TeamMember = z.infer<typeof TeamMember>;

/** What is supplied changes. */
export const UserPatch = z
  .object({
    role: Role,
    name: Name.describe('The name, as the team sees it; everybody may change their own.'),
    email: Email.describe('Unique within the account, in any case.'),
  })
  .partial()
  .meta({ id: 'TeamMemberPatch' });
export type UserPatch = z.infer<typeof UserPatch>;

/** A new invitation: the only answer that ever holds the token. */
export const Invited = TeamMember.extend({
  invite_token: z.string().describe('For POST /v1/invitations/accept, valid for 7 days. Shown this once.'),
}).meta({ id: 'Invitation' });
export type Invited = z.infer<typeof Invited>;

export const Acceptance = z
  .object({
    token: text(1, 200).describe('The invite_token of the invitation.'),
    name: Name.describe('Your name, as the team sees it.'),
    key: z.boolean().default(true).describe('Whether to make a first API key.'),
    session: z.boolean().default(false).describe('Whether to sign in: then the answer sets a cookie.'),
  })
  .meta({ id: 'Acceptance' });
export type Acceptance = z.infer<typeof Acceptance>;

/** The user who has accepted, and what they get: the only answer that ever holds their first key. */
export const Accepted = z
  .object({
    user: TeamMember.describe('The user who has accepted.'),
    key: z.string().nullable().describe('The first API key of the user, if it was wanted: fw_…. Shown this once.'),
    session: SessionRecord.nullable().describe('The session that has begun, if it was wanted.'),
  })
  .meta({ id: 'Accepted' });
export type Accepted = z.infer<typeof Accepted>;

/** Written with each change of the team, so that its version holds everybody of it as they were read. */
type TeamItem = Item & { v: string };

/** Leads from the digest of a token to the invited user; only the user item says whether the token still holds. */
export type InvitationItem = Item & { tenant_id: string; user_id: string };

export const teamMember = (user: UserItem): TeamMember =>
  pick(TeamMember, {
    ...user,
    status: isInvited(user) ? 'pending' : 'active',
    passkeys: user.passkeys.length,
    identities: user.identities.length,
  });

const TeamSettings = TeamMember.omit({ id: true, created_at: true });

export const auditedUser: Audited<UserItem> = {
  type: 'user',
  target: ({ id, email }) => ({ id, name: email }),
  members: (user) => pick(TeamSettings, teamMember(user)),
};

/** E-mail addresses of one account are compared without regard to case. */
export const isSameEmail = (a: string, b: string): boolean => foldedEmail(a) === foldedEmail(b);

/** Throws CONFLICT when this user is the last admin. */
export function assertNotLastAdmin(users: UserItem[], user: UserItem): void {
  const isAdmin = (one: UserItem) => one.role === 'admin' && !isInvited(one);
  if (!isAdmin(user) || users.some((other) => other.id !== user.id && isAdmin(other))) return;
  throw new AppError(
    'CONFLICT',
    'This is the last admin of the account. Make another one first, or let one accept an invitation.',
  );
}

/** The team as the interface shows it, oldest first. */
export const userList =
  ({ ports, keys, tenant }: TenantScope): Reader<TeamMember> =>
  async (after, limit) => {
    const { items, next } = await ports.table.query<UserItem>({ partition: keys.users(tenant), limit, after });
    return { found: items.map((user) => ({ at: user.sk, value: teamMember(user) })), next };
  };

/**
 * A change of the team that depends on everybody in it. `attempt` gets all users, and `turn`: the write that makes its
 * transaction fail when the team was changed since.
 */
export function changeTeam<T>(
  scope: TenantScope,
  attempt: (users: UserItem[], turn: Write) => Promise<T | typeof RETRY>,
): Promise<T> {
  const { ports, keys, tenant } = scope;
  const read = async () => {
    // Before the users, so that its version is no newer than they are.
    const before = await ports.table.get<TeamItem>(keys.team(tenant));
    const next: TeamItem = { ...keys.team(tenant), v: ports.ids.token() };
    const turn: Write = { put: next, if: before ? { version: before.v } : 'absent' };
    return attempt(await allUsers(scope), turn);
  };
  return oneAtATime(ports.table, keys.users(tenant), () => retryOnConflict(ports, read));
}
