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

/** Validity of an invitation (docs/use/users-and-keys.md#invite-users): 7 days in ms. */
export const INVITATION_MS = 7 * 24 * 3_600_000;

export const NewInvitation = z
  .object({ email: Email.describe('E-mail address of the user. No e-mail is sent: pass on the token.'), role: Role })
  .meta({ id: 'NewInvitation' });
export type NewInvitation = z.infer<typeof NewInvitation>;

export const TeamMember = z
  .object({
    id: IdOf('the user'),
    email: z.string().describe('E-mail address, unique within the account regardless of case.'),
    name: z.string().describe('Name; empty until the invitation is accepted.'),
    role: Role,
    status: z.enum(['active', 'pending']).describe('active: member. pending: invited, not accepted yet.'),
    passkeys: z.int().describe('Number of passkeys.'),
    identities: z.int().describe('Number of linked identities.'),
    monthly_report: z.boolean().describe('Whether the user receives the monthly report of the account by e-mail.'),
    created_at: CreatedAt,
  })
  .meta({ id: 'TeamMember' });
export type TeamMember = z.infer<typeof TeamMember>;

export const UserPatch = z
  .object({
    role: Role,
    name: Name.describe('Name as the team sees it. Users may change their own.'),
    email: Email.describe('E-mail address, unique within the account regardless of case.'),
    monthly_report: z
      .boolean()
      .describe('Whether the monthly report is sent to the e-mail address. Only the user may change it.'),
  })
  .partial()
  .meta({ id: 'TeamMemberPatch' });
export type UserPatch = z.infer<typeof UserPatch>;

/** New invitation: the only response with the token. */
export const Invited = TeamMember.extend({
  invite_token: z.string().describe('Token for POST /v1/invitations/accept, valid for 7 days. Shown only once.'),
}).meta({ id: 'Invitation' });
export type Invited = z.infer<typeof Invited>;

export const Acceptance = z
  .object({
    token: text(1, 200).describe('The invite_token of the invitation.'),
    name: Name.describe('Your name as the team sees it.'),
    key: z.boolean().default(true).describe('Whether to create a first API key. Default: true.'),
    session: z.boolean().default(false).describe('Whether to sign in, which sets a cookie. Default: false.'),
  })
  .meta({ id: 'Acceptance' });
export type Acceptance = z.infer<typeof Acceptance>;

/** User who has accepted an invitation, and the first key, which only this response contains. */
export const Accepted = z
  .object({
    user: TeamMember.describe('User who has accepted.'),
    key: z.string().nullable().describe('First API key of the user: fw_…; null if not requested. Shown only once.'),
    session: SessionRecord.nullable().describe('Started session; null if not requested.'),
  })
  .meta({ id: 'Accepted' });
export type Accepted = z.infer<typeof Accepted>;

/** Item that each `changeTeam` writes. Its version lets only one of two concurrent changes of the team commit. */
type TeamItem = Item & { v: string };

/** Pointer from the digest of a token to the invited user; the user item decides whether the token is valid. */
export type InvitationItem = Item & { tenant_id: string; user_id: string };

export const teamMember = (user: UserItem): TeamMember =>
  pick(TeamMember, {
    ...user,
    status: isInvited(user) ? 'pending' : 'active',
    passkeys: user.passkeys.length,
    identities: user.identities.length,
    monthly_report: user.monthly_report ?? false,
  });

const TeamSettings = TeamMember.omit({ id: true, created_at: true });

export const auditedUser: Audited<UserItem> = {
  type: 'user',
  target: ({ id, email }) => ({ id, name: email }),
  properties: (user) => pick(TeamSettings, teamMember(user)),
};

/** Whether two e-mail addresses of an account are equal, regardless of case. */
export const isSameEmail = (a: string, b: string): boolean => foldedEmail(a) === foldedEmail(b);

/** Throws CONFLICT if `user` is the last admin. */
export function assertNotLastAdmin(users: UserItem[], user: UserItem): void {
  const isAdmin = (one: UserItem) => one.role === 'admin' && !isInvited(one);
  if (!isAdmin(user) || users.some((other) => other.id !== user.id && isAdmin(other))) return;
  throw new AppError(
    'CONFLICT',
    'This is the last admin of the account. Make another user admin first, or have an invited admin accept.',
  );
}

/** Lists the team, oldest first. */
export const userList =
  ({ ports, keys, tenant }: TenantScope): Reader<TeamMember> =>
  async (after, limit) => {
    const { items, next } = await ports.table.query<UserItem>({ partition: keys.users(tenant), limit, after });
    return { found: items.map((user) => ({ at: user.sk, value: teamMember(user) })), next };
  };

/** Changes the team based on its users; `teamWrite` fails its transaction if the team has changed. */
export function changeTeam<T>(
  scope: TenantScope,
  attempt: (users: UserItem[], teamWrite: Write) => Promise<T | typeof RETRY>,
): Promise<T> {
  const { ports, keys, tenant } = scope;
  const attemptOnce = async () => {
    // Read before the users, so that its version is not newer than they are.
    const before = await ports.table.get<TeamItem>(keys.team(tenant));
    const next: TeamItem = { ...keys.team(tenant), v: ports.ids.token() };
    const teamWrite: Write = { put: next, if: before ? { version: before.v } : 'absent' };
    return attempt(await allUsers(scope), teamWrite);
  };
  return oneAtATime(ports.table, keys.users(tenant), () => retryOnConflict(ports, attemptOnce));
}
