import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { route } from '#lib/platform/http/route.ts';
import { beginOidc, CALLBACK, OidcStart, OidcStarted } from './begin.ts';
import { oidcCallback } from './callback.ts';
import { IdentityRecord, ownIdentities, unlinkIdentity } from './identities.ts';

const endpoint = route<Context>();

/** Query of the callback (RFC 6749, section 4.1.2; RFC 9207); providers add parameters. */
const OidcCallbackQuery = z.looseObject({
  state: z.string().optional().describe('State of the sign-in.'),
  code: z.string().optional().describe('Authorization code.'),
  iss: z.string().optional().describe('Issuer of the response.'),
  error: z.string().optional().describe('Error code of the provider.'),
});

export const oidcRoutes = [
  endpoint({
    method: 'POST',
    path: '/v1/sign-in/oidc',
    access: 'open',
    rate: 'sign-in',
    summary: 'Start a sign-in at the identity provider',
    description: 'With `purpose: link`, links an identity to the signed-in user.',
    status: 200,
    body: OidcStart,
    reply: OidcStarted,
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'ACCOUNT_DISABLED', 'NOT_FOUND', 'LIMIT_EXCEEDED', 'UNAVAILABLE'],
    run: (context, { body, ...sent }) => beginOidc(context, body, sent),
  }),
  endpoint({
    method: 'GET',
    path: CALLBACK,
    access: 'open',
    rate: 'sign-in',
    summary: 'Complete a sign-in at the identity provider',
    description: 'The provider redirects here. Redirects to return_to, or to /#/sign-in?error=….',
    status: 303,
    query: OidcCallbackQuery,
    run: (context, { url, ...sent }) => oidcCallback(context, sent, url.search),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/sign-in/identities',
    access: 'own',
    summary: 'List your identities at the identity provider',
    status: 200,
    reply: z.array(IdentityRecord),
    run: ownIdentities,
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/sign-in/identities/{id}',
    access: 'own',
    summary: 'Remove an identity',
    description: 'The identity can no longer sign in.',
    status: 204,
    run: (context, { params }) => unlinkIdentity(context, params.id),
  }),
];
