import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { userList } from '#lib/access/store.ts';
import { inviteUser } from '#lib/access/team/invite-user.ts';
import { removeUser } from '#lib/access/team/remove-user.ts';
import { endSessions } from '#lib/identity/sessions/end-sessions.ts';
import { changeUser } from '#lib/identity/team/change-user.ts';
import { acceptInvitation } from '#lib/identity/team/invitations.ts';
import { Acceptance, Accepted, Invited, NewInvitation, TeamMember, UserPatch } from '#lib/identity/team/team.ts';
import { ListQuery, listOf } from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { linkByAdmin, NewLink, SignInLink } from './sign-in-link.ts';

const row = route<Context>();

export const teamRows = [
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
