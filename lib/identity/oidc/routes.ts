import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { route } from '#lib/platform/http/route.ts';
import { beginOidc, CALLBACK, OidcStart, OidcStarted } from './begin.ts';
import { oidcCallback } from './callback.ts';
import { IdentityRecord, ownIdentities, unlinkIdentity } from './identities.ts';

const row = route<Context>();

/** What comes back in the query (RFC 6749, section 4.1.2; RFC 9207); providers add members of their own. */
const OidcAnswer = z.looseObject({
  state: z.string().optional().describe('Of the sign-in that began.'),
  code: z.string().optional().describe('What the provider gives for it.'),
  iss: z.string().optional().describe('The provider.'),
  error: z.string().optional().describe('Why the provider refused.'),
});

export const oidcRoutes = [
  row({
    method: 'POST',
    path: '/v1/sign-in/oidc',
    access: 'open',
    rate: 'sign-in',
    summary: 'Begin a sign-in at the identity provider, or link an identity to the one who is signed in',
    status: 200,
    body: OidcStart,
    reply: OidcStarted,
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'ACCOUNT_DISABLED', 'NOT_FOUND', 'LIMIT_EXCEEDED', 'UNAVAILABLE'],
    run: (context, { body, ...sent }) => beginOidc(context, body, sent),
  }),
  row({
    method: 'GET',
    path: CALLBACK,
    access: 'open',
    rate: 'sign-in',
    summary: 'Where the identity provider leads back to; leads on to return_to, or to /#/sign-in?error=…',
    status: 303,
    query: OidcAnswer,
    run: (context, { url, ...sent }) => oidcCallback(context, sent, url.search),
  }),
  row({
    method: 'GET',
    path: '/v1/sign-in/identities',
    access: 'own',
    summary: "One's own identities at the identity provider",
    status: 200,
    reply: z.array(IdentityRecord),
    run: ownIdentities,
  }),
  row({
    method: 'DELETE',
    path: '/v1/sign-in/identities/{id}',
    access: 'own',
    summary: 'Remove an identity: it signs nobody in any more',
    status: 204,
    run: (context, { params }) => unlinkIdentity(context, params.id),
  }),
];
