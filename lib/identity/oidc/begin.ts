import * as z from 'zod';
import type { UserItem } from '#lib/access/account.ts';
import { digestOf } from '#lib/access/api-key.ts';
import type { Context } from '#lib/access/context.ts';
import { assertSameOriginSignIn, type Sent, sessionToken } from '#lib/identity/sessions/same-origin.ts';
import { pageGates } from '#lib/identity/sessions/session-gate.ts';
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

/**
 * Where the browser goes after a sign-in: a path of this service, with one slash at its beginning. Printable ASCII
 * without backslashes, as browsers read `/\evil.example`, `//evil.example` and `/<tab>/evil.example` as another host
 * (WHATWG URL, 4.4).
 */
export const ReturnTo = z
  .string()
  .max(500)
  .regex(
    /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/,
    'must be a path of this service, such as /#/checks: one slash at its beginning, no backslash, no spaces',
  );

/** Where the provider sends the browser back to, below the address that people open. */
export const CALLBACK = '/v1/sign-in/oidc/callback';

export const OidcStart = z
  .object({
    token: text(1, 200)
      .optional()
      .describe('Of an invitation or a sign-in link: the identity is then linked to its user, whatever its e-mail.'),
    purpose: z
      .literal('link')
      .optional()
      .describe('link: link the identity to the user whose session this is, in place of a sign-in.'),
    return_to: ReturnTo.default('/').describe('The path of this service that the browser comes back to.'),
    account_id: Slug.optional().describe(
      'Of a person in several accounts: the one to sign in to. Default: the last used.',
    ),
  })
  .meta({ id: 'OidcStart' });

export const OidcStarted = z
  .object({ url: z.string().describe('Where to send the browser: the provider. Good for ten minutes.') })
  .meta({ id: 'OidcStarted' });

/**
 * Begins a sign-in at the provider of the settings. Throws NOT_FOUND where there is none, UNAVAILABLE where it does not
 * answer as it should, what an unknown token is answered, and FORBIDDEN for a page that is not ours.
 */
export async function beginOidc(
  context: Context,
  start: z.output<typeof OidcStart>,
  sent: Sent,
): Promise<Reply<z.output<typeof OidcStarted>>> {
  const { ports } = context;
  if (ports.settings.OIDC_ISSUER === '') throw noProvider();
  assertSameOriginSignIn(sent.headers, ports.settings);
  const { origin } = serviceOriginOf(sent.headers, ports.settings);
  const begun_for = await meantFor(context, start, sent);
  const before = sessionToken(sent, ports.settings);

  const secret = ports.ids.secret();
  const secrets = flowSecrets(secret);
  const url = await authorizationUrl(ports, secrets, origin + CALLBACK).catch((error: unknown) => {
    throw noWay(context, error);
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

async function meantFor(
  context: Context,
  { token, purpose, account_id }: z.output<typeof OidcStart>,
  sent: Sent,
): Promise<SignInTarget | undefined> {
  if ((token !== undefined || purpose !== undefined) && account_id !== undefined) {
    throw invalid('account_id', 'is that of token or session; leave it out');
  }
  if (purpose !== undefined) {
    if (token !== undefined) throw invalid('token', 'signs somebody in, and purpose links to whoever is signed in');
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

/** Throws UNAUTHORIZED where nobody is signed in, FORBIDDEN for a key, LIMIT_EXCEEDED. */
async function ownerOfSession({ ports, keys, origin }: Context, { headers, cookies }: Sent): Promise<SignInTarget> {
  const sender = { method: 'POST', headers, cookies, address: origin.ip, request_id: origin.request_id };
  const { session, caller } = await pageGates({ ports, keys }).authenticate(sender);
  assertAllowed(caller, 'own');
  // It would outlive the key.
  if (!session || session.key_digest !== undefined) throw notByKey();
  const user = await ports.table.get<UserItem>(keys.user(session.tenant_id, session.user_id));
  if (user && user.identities.length >= MAX_IDENTITIES) throw tooMany();
  const digest = digestOf(sessionToken({ headers, cookies }, ports.settings)!);
  return { tenant_id: session.tenant_id, user_id: session.user_id, by: 'session', digest };
}

const noProvider = (): AppError =>
  new AppError(
    'NOT_FOUND',
    'No identity provider is set up here. The operator of this service does that with OIDC_ISSUER and OIDC_CLIENT_ID.',
  );

const notByKey = (): AppError =>
  new AppError('FORBIDDEN', 'An identity is linked to a person, not to a key. Sign in by passkey, link or provider.');

const tooMany = (): AppError =>
  new AppError('LIMIT_EXCEEDED', `You have ${MAX_IDENTITIES} identities, which is the most. Remove one first.`);

/** The log has the rest: addresses inside the operator's network are nobody's business. */
function noWay({ ports, origin }: Context, error: unknown): unknown {
  if (!(error instanceof SignInRefused)) return error;
  const { reason, message } = error;
  const provider = ports.settings.OIDC_ISSUER;
  ports.log.warn('no sign-in could begin at the provider', {
    request_id: origin.request_id,
    issuer: provider,
    reason,
    error: message,
  });
  const told =
    reason === 'unreachable'
      ? `The identity provider ${provider} cannot be reached. Try again, or sign in another way.`
      : `The identity provider ${provider} cannot be used: ${message}.`;
  return new AppError('UNAVAILABLE', told);
}
