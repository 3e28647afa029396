import type { Context } from '#lib/access/context.ts';
import { useOnce } from '#lib/identity/one-time.ts';
import type { Sent } from '#lib/identity/sessions/same-origin.ts';
import { Reply } from '#lib/platform/http/route.ts';
import { RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { CALLBACK } from './begin.ts';
import { type OidcError, SignInRefused } from './claims.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { verifyCallback } from './provider.ts';
import { oidcCookie, type PendingRequest, pendingRequest } from './request.ts';

/** Handles the redirect from the provider. Redirects to `return_to`, or to the sign-in page with an error. */
export async function oidcCallback(context: Context, sent: Sent, search: URLSearchParams): Promise<Reply<undefined>> {
  let returned: PendingRequest | undefined;
  try {
    returned = await takeRequest(context, search.get('state') ?? '', sent.cookies);
    const { request, secrets } = returned;
    const callback = new URL(`${request.origin}${CALLBACK}?${search}`);
    const sessionCookie = await completeSignIn(
      context,
      request,
      await verifyCallback(context.ports, secrets, callback),
      sent,
    );
    return redirectTo(request.return_to, sessionCookie, returned);
  } catch (error) {
    return redirectTo(`/#/sign-in?error=${loggedReason(context, error)}`, undefined, returned);
  }
}

/** Uses up the pending request, so that its code is exchanged at most once (RFC 6749, 4.1.2). Throws SignInRefused. */
function takeRequest(context: Context, state: string, cookies: readonly string[]): Promise<PendingRequest> {
  const { ports } = context;
  return retryOnConflict(ports, async () => {
    const returned = await pendingRequest(context, state, cookies);
    if (!returned) throw new SignInRefused('expired', 'this browser has no pending sign-in');
    return (await ports.table.transact([useOnce(returned.request)])).ok ? returned : RETRY;
  });
}

function redirectTo(
  location: string,
  sessionCookie: string | undefined,
  returned: PendingRequest | undefined,
): Reply<undefined> {
  const deletedCookie = returned && oidcCookie(new URL(returned.request.origin), '', 0);
  return new Reply(undefined, { location, 'cache-control': 'no-store' }, [sessionCookie, deletedCookie].filter(isText));
}

const isText = (one: string | undefined): one is string => one !== undefined;

function loggedReason({ ports, origin }: Context, error: unknown): OidcError {
  const about = { request_id: origin.request_id, issuer: ports.settings.OIDC_ISSUER };
  if (error instanceof SignInRefused) {
    const { reason, message } = error;
    ports.log.warn('sign-in at the provider rejected', { ...about, reason, error: message });
    return reason;
  }
  ports.log.error('sign-in at the provider failed', { ...about, error });
  return 'failed';
}
