import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { userList } from '#lib/access/store.ts';
import { route } from '#lib/platform/http/route.ts';
import { ListQuery, listOf } from '#lib/platform/table/paging.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { inviteUser } from './invite-user.ts';
import { removeUser } from './remove-user.ts';
import { Acceptance, Accepted, Invited, NewInvitation, TeamMember } from './team.ts';

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
    path: '/v1/invitations/accept',
    access: 'open',
    rate: 'sign-in',
    summary: 'Accept an invitation by its token; the answer alone holds the first key',
    status: 201,
    body: Acceptance,
    reply: Accepted,
    errors: ['NOT_FOUND', 'ACCOUNT_DISABLED'],
    run: (context, { body }) => acceptInvitation(context, body),
  }),
];
