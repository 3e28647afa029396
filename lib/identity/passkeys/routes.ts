import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { SessionRecord } from '#lib/identity/sessions/session.ts';
import { route } from '#lib/platform/http/route.ts';
import { addPasskey, newPasskeyOptions } from './add-passkey.ts';
import { CreationOptions, RequestOptions } from './options.ts';
import { listPasskeys, removePasskey, renamePasskey, requirePasskey } from './own-passkeys.ts';
import { NewPasskey, PasskeyPatch, PasskeyRecord } from './passkey.ts';
import { AuthenticationResponse, MAX_RESPONSE_BYTES } from './responses.ts';
import { signInByPasskey, signInOptions } from './sign-in.ts';

const endpoint = route<Context>();

const PasskeySignIn = z
  .object({ response: AuthenticationResponse.describe('Response of the browser to the options.') })
  .meta({ id: 'PasskeySignIn' });

export const passkeyRoutes = [
  endpoint({
    method: 'POST',
    path: '/v1/sign-in/passkey/options',
    access: 'open',
    rate: 'sign-in',
    summary: 'Get the options to sign in with a passkey',
    description: 'The challenge is valid for one use within 5 minutes.',
    status: 200,
    reply: RequestOptions,
    errors: ['FORBIDDEN'],
    run: (context, { headers }) => signInOptions(context, headers),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/sign-in/passkey',
    access: 'open',
    rate: 'sign-in',
    summary: 'Sign in with a passkey',
    status: 201,
    body: PasskeySignIn,
    maxBody: MAX_RESPONSE_BYTES,
    reply: SessionRecord,
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'ACCOUNT_DISABLED'],
    run: (context, { body, ...sent }) => signInByPasskey(context, body.response, sent),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/sign-in/passkeys/options',
    access: 'own',
    summary: 'Get the options to add a passkey',
    description: 'The challenge is valid for one use within 5 minutes.',
    status: 200,
    reply: CreationOptions,
    errors: ['LIMIT_EXCEEDED'],
    run: (context, { headers }) => newPasskeyOptions(context, headers),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/sign-in/passkeys',
    access: 'own',
    summary: 'Add a passkey',
    status: 201,
    body: NewPasskey,
    maxBody: MAX_RESPONSE_BYTES,
    reply: PasskeyRecord,
    errors: ['CONFLICT', 'LIMIT_EXCEEDED'],
    run: (context, { body, headers }) => addPasskey(context, body, headers),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/sign-in/passkeys',
    access: 'own',
    summary: 'List your passkeys, oldest first',
    status: 200,
    reply: z.array(PasskeyRecord),
    run: listPasskeys,
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/sign-in/passkeys/{id}',
    access: 'own',
    summary: 'Rename a passkey',
    status: 200,
    body: PasskeyPatch,
    reply: PasskeyRecord,
    load: (context, { id }) => requirePasskey(context, id),
    run: (context, { params, body }) => renamePasskey(context, params.id, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/sign-in/passkeys/{id}',
    access: 'own',
    summary: 'Remove a passkey',
    description: 'The passkey can no longer sign in.',
    status: 204,
    load: (context, { id }) => requirePasskey(context, id),
    run: (context, { params }) => removePasskey(context, params.id),
  }),
];
