import * as z from 'zod';
import { assertKeyDoesNotExpire, digestOf } from '#lib/access/api-key.ts';
import { userAsCaller } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import type { SessionItem } from '#lib/access/session-item.ts';
import { currentSession, endSession, endSessions, ownSessions } from '#lib/identity/sessions/end-sessions.ts';
import {
  assertSameOriginSignIn,
  expiredSessionCookie,
  type Sent,
  sessionToken,
} from '#lib/identity/sessions/same-origin.ts';
import { type SessionPointer, SessionRecord } from '#lib/identity/sessions/session.ts';
import { changeUser, removeUser } from '#lib/identity/team/change-user.ts';
import { acceptInvitation, inviteUser } from '#lib/identity/team/invitations.ts';
import {
  Acceptance,
  Accepted,
  Invited,
  NewInvitation,
  TeamMember,
  UserPatch,
  userList,
} from '#lib/identity/team/team.ts';
import { notFound } from '#lib/platform/errors.ts';
import { ListQuery, listOf } from '#lib/platform/http/paging.ts';
import { Reply, route } from '#lib/platform/http/route.ts';
import { linkByAdmin, NewLink, SignInLink } from './sign-in-link.ts';

const endpoint = route<Context>();

const sessionRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/session',
    access: 'read',
    summary: 'Get the current session',
    description: 'Null if the request was made with a key.',
    status: 200,
    reply: SessionRecord.nullable(),
    run: currentSession,
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/session',
    access: 'open',
    summary: 'Sign out',
    description: 'Ends the session of the cookie, if there is one, and deletes the cookie.',
    status: 204,
    errors: ['FORBIDDEN', 'UNAUTHORIZED'],
    run: signOut,
  }),
  endpoint({
    method: 'GET',
    path: '/v1/sessions',
    access: 'own',
    summary: 'List your sessions, newest first',
    status: 200,
    reply: z.array(SessionRecord),
    run: ownSessions,
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/sessions',
    access: 'own',
    summary: 'End your other sessions',
    status: 204,
    run: (context) => endSessions(context, context.caller.user_id, context.session),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/sessions/{id}',
    access: 'own',
    summary: 'End one of your sessions',
    status: 204,
    load: (context, { id }) => requireSession(context, id),
    run: (context, { loaded }) => endSession(context, loaded),
  }),
];

async function signOut(context: Context, sent: Sent): Promise<Reply<undefined>> {
  const { ports, keys } = context;
  assertSameOriginSignIn(sent.headers, ports.settings);
  const token = sessionToken(sent, ports.settings);
  const session = token && (await ports.table.get<SessionItem>(keys.session(digestOf(token))));
  if (session) {
    const { tenant_id: tenant, user_id } = session;
    const caller = userAsCaller({ id: user_id, email: '' });
    await endSession({ ...context, tenant, caller, origin: { ...context.origin, via: 'console' } }, session);
  }
  return new Reply(undefined, {}, [expiredSessionCookie(sent, ports.settings)]);
}

async function requireSession({ ports, keys, tenant, caller }: Context, id: string): Promise<SessionItem> {
  const pointer = await ports.table.get<SessionPointer>(keys.sessionPointer(tenant, caller.user_id, id));
  const session = pointer && (await ports.table.get<SessionItem>(keys.session(pointer.digest)));
  if (!session) throw notFound(`Session ${id}`);
  return session;
}

const teamRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/settings/users',
    access: 'read',
    summary: 'List members and pending invitations, oldest first',
    status: 200,
    query: ListQuery,
    reply: z.array(TeamMember),
    run: (context, call) => listOf(`${context.tenant} users`, call, userList(context)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/settings/users/invite',
    access: 'manage',
    summary: 'Invite a user',
    description:
      'If the address has a pending invitation, its token and role are replaced. Only this response contains the token.',
    status: 201,
    body: NewInvitation,
    reply: Invited,
    errors: ['CONFLICT', 'LIMIT_EXCEEDED'],
    run: (context, { body }) => {
      assertKeyDoesNotExpire(context.caller, 'an invited user');
      return inviteUser(context, body);
    },
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/settings/users/{id}',
    // Users may change their own name and monthly report; changeUser restricts the rest.
    access: 'own',
    summary: 'Change a user',
    description:
      'Users may change their own name and monthly report. Admins may change role, name and e-mail address of any user, and the role of a pending invitation.',
    status: 200,
    body: UserPatch,
    reply: TeamMember,
    errors: ['CONFLICT'],
    run: (context, { params, body }) => changeUser(context, params.id, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/settings/users/{id}',
    access: 'manage',
    summary: 'Remove a member or an invitation',
    description: 'Deletes all keys, passkeys, identities and sessions of the member.',
    status: 204,
    errors: ['CONFLICT'],
    run: (context, { params }) => removeUser(context, params.id),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/settings/users/{id}/sign-in-link',
    access: 'manage',
    summary: 'Create a sign-in link for a member',
    description: 'The link works once within 24 hours and replaces an earlier one. Only this response contains it.',
    status: 201,
    body: NewLink,
    reply: SignInLink,
    errors: ['CONFLICT'],
    run: (context, { params, body, headers }) => linkByAdmin(context, params.id, body, headers),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/settings/users/{id}/sessions',
    access: 'manage',
    summary: 'End all sessions of a member',
    status: 204,
    run: (context, { params }) => endSessions(context, params.id),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/invitations/accept',
    access: 'open',
    rate: 'sign-in',
    summary: 'Accept an invitation',
    description:
      'Creates a first key unless `key` is false, and a session if `session` is true. Only this response contains the key.',
    status: 201,
    body: Acceptance,
    reply: Accepted,
    errors: ['NOT_FOUND', 'ACCOUNT_DISABLED', 'FORBIDDEN', 'UNAUTHORIZED'],
    run: (context, { body, ...sent }) => acceptInvitation(context, body, sent),
  }),
];

/** Routes of sessions and the team. Sign-in methods are in sign-in.ts. */
export const peopleRoutes = [...sessionRoutes, ...teamRoutes];
