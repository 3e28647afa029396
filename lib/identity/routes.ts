import * as z from 'zod';
import { digestOf } from '#lib/access/api-key.ts';
import { asPerson } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import type { SessionItem } from '#lib/access/session-item.ts';
import { currentSession, endSession, endSessions, ownSessions } from '#lib/identity/sessions/end-sessions.ts';
import { assertSameOriginSignIn, noCookie, type Sent, sessionToken } from '#lib/identity/sessions/same-origin.ts';
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

const row = route<Context>();

const sessionRoutes = [
  row({
    method: 'GET',
    path: '/v1/session',
    access: 'read',
    summary: 'The session by which this call was made; null where it was made with a key',
    status: 200,
    reply: SessionRecord.nullable(),
    run: currentSession,
  }),
  row({
    method: 'DELETE',
    path: '/v1/session',
    access: 'open',
    summary: 'Sign out: ends the session of the cookie, if there is one, and takes the cookie away',
    status: 204,
    errors: ['FORBIDDEN', 'UNAUTHORIZED'],
    run: signOut,
  }),
  row({
    method: 'GET',
    path: '/v1/sessions',
    access: 'own',
    summary: "One's own sessions, newest first",
    status: 200,
    reply: z.array(SessionRecord),
    run: ownSessions,
  }),
  row({
    method: 'DELETE',
    path: '/v1/sessions',
    access: 'own',
    summary: "End one's own sessions, all but the one that asks",
    status: 204,
    run: (context) => endSessions(context, context.caller.user_id, context.session),
  }),
  row({
    method: 'DELETE',
    path: '/v1/sessions/{id}',
    access: 'own',
    summary: "End one of one's own sessions",
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
    const caller = asPerson({ id: user_id, email: '' });
    await endSession({ ...context, tenant, caller, origin: { ...context.origin, via: 'console' } }, session);
  }
  return new Reply(undefined, {}, [noCookie(sent, ports.settings)]);
}

/** Throws NOT_FOUND. */
async function requireSession({ ports, keys, tenant, caller }: Context, id: string): Promise<SessionItem> {
  const pointer = await ports.table.get<SessionPointer>(keys.sessionPointer(tenant, caller.user_id, id));
  const session = pointer && (await ports.table.get<SessionItem>(keys.session(pointer.digest)));
  if (!session) throw notFound(`Session ${id}`);
  return session;
}

const teamRoutes = [
  row({
    method: 'GET',
    path: '/v1/settings/users',
    access: 'read',
    summary: 'The team: members and pending invitations, oldest first',
    status: 200,
    query: ListQuery,
    reply: z.array(TeamMember),
    run: (context, call) => listOf(`${context.tenant} users`, call, userList(context)),
  }),
  row({
    method: 'POST',
    path: '/v1/settings/users/invite',
    access: 'manage',
    summary: 'Invite a person, or renew the token; the answer alone holds it',
    status: 201,
    body: NewInvitation,
    reply: Invited,
    errors: ['CONFLICT', 'LIMIT_EXCEEDED'],
    run: (context, { body }) => inviteUser(context, body),
  }),
  row({
    method: 'PUT',
    path: '/v1/settings/users/{id}',
    // One's own name; all else is for admins, as changeUser sees.
    access: 'own',
    summary: "Change one's own name, or as an admin role, name and e-mail address of anybody in the team",
    status: 200,
    body: UserPatch,
    reply: TeamMember,
    errors: ['CONFLICT'],
    run: (context, { params, body }) => changeUser(context, params.id, body),
  }),
  row({
    method: 'DELETE',
    path: '/v1/settings/users/{id}',
    access: 'manage',
    summary: 'Remove a member with all their keys and passkeys, or an invitation',
    status: 204,
    errors: ['CONFLICT'],
    run: (context, { params }) => removeUser(context, params.id),
  }),
  row({
    method: 'POST',
    path: '/v1/settings/users/{id}/sign-in-link',
    access: 'manage',
    summary: 'A link that signs a member in, once, within 24 hours; the answer alone holds it. One made before is void',
    status: 201,
    body: NewLink,
    reply: SignInLink,
    errors: ['CONFLICT'],
    run: (context, { params, body, headers }) => linkByAdmin(context, params.id, body, headers),
  }),
  row({
    method: 'DELETE',
    path: '/v1/settings/users/{id}/sessions',
    access: 'manage',
    summary: 'End all sessions of a member',
    status: 204,
    run: (context, { params }) => endSessions(context, params.id),
  }),
  row({
    method: 'POST',
    path: '/v1/invitations/accept',
    access: 'open',
    rate: 'sign-in',
    summary: 'Accept an invitation by its token; with a first key, which the answer alone holds, or with a session',
    status: 201,
    body: Acceptance,
    reply: Accepted,
    errors: ['NOT_FOUND', 'ACCOUNT_DISABLED', 'FORBIDDEN', 'UNAUTHORIZED'],
    run: (context, { body, ...sent }) => acceptInvitation(context, body, sent),
  }),
];

/** Sessions and the team. Ways to sign in are in sign-in.ts. */
export const peopleRoutes = [...sessionRoutes, ...teamRoutes];
