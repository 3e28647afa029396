import * as z from 'zod';
import type { UserItem } from '#lib/access/account.ts';
import { assertKeyDoesNotExpire, digestOf } from '#lib/access/api-key.ts';
import type { Context } from '#lib/access/context.ts';
import { assertSameOriginSignIn, type Sent, sessionToken } from '#lib/identity/sessions/same-origin.ts';
import { sessionGates } from '#lib/identity/sessions/session-gate.ts';
import { findLink } from '#lib/identity/sign-in-link.ts';
import { findInvitation } from '#lib/identity/team/invitations.ts';
import { AppError, invalid } from '#lib/platform/errors.ts';
import { assertAllowed } from '#lib/platform/http/assert-allowed.ts';
import { Reply } from '#lib/platform/http/route.ts';
import { serviceOriginOf } from '#lib/platform/http/service-host.ts';
import { Slug, text } from '#lib/platform/text.ts';
import { SignInRefused } from './claims.ts';
import { MAX_IDENTITIES } from './identities.ts';
import { authorizationUrl } from './provider.ts';
import { flowSecrets, oidcCookie, REQUEST_MS, requestPut } from './request.ts';
import type { SignInTarget } from './resolve-identity.ts';

/** Path to return to. Browsers read `/\x.example`, `//x.example` and `/<tab>/x.example` as a host (WHATWG URL, 4.4). */
export const ReturnTo = z
  .string()
  .max(500)
  .regex(
    /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/,
    'must be a path of this service, such as /#/checks: one leading slash, no backslash, no spaces',
  );

/** Path to which the provider redirects, below the URL that users open. */
export const CALLBACK = '/v1/sign-in/oidc/callback';

export const OidcStart = z
  .object({
    token: text(1, 200)
      .optional()
      .describe(
        'Token of an invitation or a sign-in link: links the identity, whatever its e-mail address, to the user of the token.',
      ),
    purpose: z
      .literal('link')
      .optional()
      .describe('link: links the identity to the user of the session instead of signing in.'),
    return_to: ReturnTo.default('/').describe('Path of this service to which the browser returns. Default: /.'),
    account_id: Slug.optional().describe(
      'Account to sign in to, for a person in several accounts. Default: the last used.',
    ),
  })
  .meta({ id: 'OidcStart' });

export const OidcStarted = z
  .object({ url: z.string().describe('URL of the provider to which to send the browser. Valid for ten minutes.') })
  .meta({ id: 'OidcStarted' });

/** Starts a sign-in at the provider. Throws NOT_FOUND, UNAVAILABLE, FORBIDDEN, and errors of an unknown token. */
export async function beginOidc(
  context: Context,
  start: z.output<typeof OidcStart>,
  sent: Sent,
): Promise<Reply<z.output<typeof OidcStarted>>> {
  const { ports } = context;
  if (ports.settings.OIDC_ISSUER === '') throw noProvider();
  assertSameOriginSignIn(sent.headers, ports.settings);
  const { origin } = serviceOriginOf(sent.headers, ports.settings);
  const begun_for = await targetOf(context, start, sent);
  const before = sessionToken(sent, ports.settings);

  const secret = ports.ids.secret();
  const secrets = flowSecrets(secret);
  const url = await authorizationUrl(ports, secrets, origin + CALLBACK).catch((error: unknown) => {
    throw providerError(context, error);
  });
  const { return_to, account_id } = start;
  await ports.table.transact([
    requestPut(context, secrets.state, {
      origin,
      return_to,
      ...(account_id !== undefined && { account_id }),
      ...(begun_for && { begun_for }),
      ...(before !== undefined && { replaces: digestOf(before) }),
    }),
  ]);
  return new Reply({ url }, {}, [oidcCookie(new URL(origin), secret, REQUEST_MS / 1000)]);
}

async function targetOf(
  context: Context,
  { token, purpose, account_id }: z.output<typeof OidcStart>,
  sent: Sent,
): Promise<SignInTarget | undefined> {
  if ((token !== undefined || purpose !== undefined) && account_id !== undefined) {
    throw invalid('account_id', 'is determined by token or session; omit it');
  }
  if (purpose !== undefined) {
    if (token !== undefined)
      throw invalid('token', 'is for signing in, and purpose links an identity to the signed-in user; omit one');
    return ownerOfSession(context, sent);
  }
  if (token === undefined) return undefined;
  if (token.startsWith('fwl_')) {
    const { before } = await findLink(context, token);
    return { tenant_id: before.tenant_id, user_id: before.id, by: 'link', digest: digestOf(token) };
  }
  const { tenant_id, user_id } = await findInvitation(context, token);
  return { tenant_id, user_id, by: 'invitation', digest: digestOf(token) };
}

/** Returns the user of the session. Throws UNAUTHORIZED without a session, FORBIDDEN for a key, LIMIT_EXCEEDED. */
async function ownerOfSession({ ports, keys, origin }: Context, { headers, cookies }: Sent): Promise<SignInTarget> {
  const sender = { method: 'POST', headers, cookies, address: origin.ip, request_id: origin.request_id };
  const { session, caller } = await sessionGates({ ports, keys }).authenticate(sender);
  assertAllowed(caller, 'own');
  assertKeyDoesNotExpire(caller, 'an identity');
  // The identity would stay after the key is deleted.
  if (!session || session.key_digest !== undefined) throw notByKey();
  const user = await ports.table.get<UserItem>(keys.user(session.tenant_id, session.user_id));
  if (user && user.identities.length >= MAX_IDENTITIES) throw tooMany();
  const digest = digestOf(sessionToken({ headers, cookies }, ports.settings)!);
  return { tenant_id: session.tenant_id, user_id: session.user_id, by: 'session', digest };
}

const noProvider = (): AppError =>
  new AppError(
    'NOT_FOUND',
    'No identity provider is configured. Ask the operator to set OIDC_ISSUER and OIDC_CLIENT_ID.',
  );

const notByKey = (): AppError =>
  new AppError('FORBIDDEN', 'An API key cannot link an identity. Sign in by passkey, link or provider.');

const tooMany = (): AppError =>
  new AppError('LIMIT_EXCEEDED', `You already have the maximum of ${MAX_IDENTITIES} identities. Remove one first.`);

/** Converts an error. Connection details are only logged: they can contain addresses in the network of the operator. */
function providerError({ ports, origin }: Context, error: unknown): unknown {
  if (!(error instanceof SignInRefused)) return error;
  const { reason, message } = error;
  const provider = ports.settings.OIDC_ISSUER;
  ports.log.warn('sign-in at the provider not started', {
    request_id: origin.request_id,
    issuer: provider,
    reason,
    error: message,
  });
  const sentence =
    reason === 'unreachable'
      ? `The identity provider ${provider} cannot be reached. Try again, or sign in another way.`
      : `The identity provider ${provider} cannot be used: ${message}.`;
  return new AppError('UNAVAILABLE', sentence);
}
