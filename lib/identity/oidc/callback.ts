import type { Context } from '#lib/access/context.ts';
import { useOnce } from '#lib/identity/one-time.ts';
import type { Sent } from '#lib/identity/sessions/same-origin.ts';
import { Reply } from '#lib/platform/http/route.ts';
import { RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { CALLBACK } from './begin.ts';
import { type OidcError, SignInRefused } from './claims.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { verifyCallback } from './provider.ts';
import { oidcCookie, pendingRequest, type Returned } from './request.ts';

/**
 * The way back from the provider. It is a page's own load and no call, so that whatever comes of it is a page too:
 * where the sign-in was to lead, or the page that says why it did not. Comes from another site by nature; that the
 * sign-in began in this browser, its cookie shows.
 */
export async function oidcCallback(context: Context, sent: Sent, search: URLSearchParams): Promise<Reply<undefined>> {
  let returned: Returned | undefined;
  try {
    returned = await takeRequest(context, search.get('state') ?? '', sent.cookies);
    const { request, secrets } = returned;
    const callback = new URL(`${request.origin}${CALLBACK}?${search}`);
    const session = await completeSignIn(
      context,
      request,
      await verifyCallback(context.ports, secrets, callback),
      sent,
    );
    return leadTo(request.return_to, session, returned);
  } catch (error) {
    return leadTo(`/#/sign-in?error=${reasonOf(context, error)}`, undefined, returned);
  }
}

/**
 * The pending request of this browser, used up before anything is made of its code: of two exchanges of one code at
 * once a provider may take back what it gave for the first (RFC 6749, section 4.1.2). Throws SignInRefused.
 */
function takeRequest(context: Context, state: string, cookies: readonly string[]): Promise<Returned> {
  const { ports } = context;
  return retryOnConflict(ports, async () => {
    const returned = await pendingRequest(context, state, cookies);
    if (!returned) throw new SignInRefused('expired', 'nothing that began in this browser is pending');
    return (await ports.table.transact([useOnce(returned.request)])).ok ? returned : RETRY;
  });
}

function leadTo(location: string, session: string | undefined, returned: Returned | undefined): Reply<undefined> {
  const used = returned && oidcCookie(new URL(returned.request.origin), '', 0);
  return new Reply(undefined, { location, 'cache-control': 'no-store' }, [session, used].filter(isText));
}

const isText = (one: string | undefined): one is string => one !== undefined;

/** What the page is told; the log has the rest. */
function reasonOf({ ports, origin }: Context, error: unknown): OidcError {
  const about = { request_id: origin.request_id, issuer: ports.settings.OIDC_ISSUER };
  if (error instanceof SignInRefused) {
    const { reason, message } = error;
    ports.log.warn('a sign-in by the provider was refused', { ...about, reason, error: message });
    return reason;
  }
  ports.log.error('a sign-in by the provider failed', { ...about, error });
  return 'failed';
}
