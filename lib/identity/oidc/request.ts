import { createHmac } from 'node:crypto';
import { digestOf } from '#lib/access/api-key.ts';
import type { Context } from '#lib/access/context.ts';
import { findOneTime, type OneTime, oneTime } from '#lib/identity/one-time.ts';
import type { Write } from '#lib/platform/ports.ts';
import type { SignInTarget } from './resolve-identity.ts';

/** Secrets of one sign-in at a provider, 43 characters each. */
export type FlowSecrets = {
  /** Binds the callback to this browser. */
  state: string;
  /** Binds the ID token to this sign-in. */
  nonce: string;
  /** Binds the code to its requester (RFC 7636). */
  verifier: string;
};

/** Derives the secrets irreversibly from the cookie: a URL with state and code reveals neither it nor the verifier. */
export function flowSecrets(cookieSecret: string): FlowSecrets {
  const part = (name: string) => createHmac('sha256', cookieSecret).update(name).digest('base64url');
  return { state: part('state'), nonce: part('nonce'), verifier: part('verifier') };
}

// Cookie that binds a sign-in to its browser. Lax, because the provider redirects from another site.

const SECURE = '__Host-fleetwatch_oidc';
const nameAt = ({ protocol, port }: URL): string =>
  protocol === 'https:' ? SECURE : `fleetwatch_oidc_${port || '80'}`;

/** Returns the Set-Cookie value. @param origin of this service in the browser @param seconds until expiry; 0: delete */
export function oidcCookie(origin: URL, secret: string, seconds: number): string {
  const secure = origin.protocol === 'https:' ? '; Secure' : '';
  return `${nameAt(origin)}=${secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

/** Returns the secret in this cookie; undefined without one, or with two, because another site set one of them. */
export function oidcSecret(cookies: readonly string[], origin: URL): string | undefined {
  const start = `${nameAt(origin)}=`;
  const [found, ...more] = cookies.filter((cookie) => cookie.startsWith(start));
  return more.length > 0 ? undefined : found?.slice(start.length);
}

/** Time that a person may spend at the provider: ten minutes, in ms. */
export const REQUEST_MS = 600_000;

/** Stored request while the person is at the provider. About 400 bytes, without secrets. */
export type OidcRequest = {
  /** Origin of this service in the browser: `https://status.example.com`. */
  origin: string;
  return_to: string;
  /** Requested account of the person; absent: the last used. */
  account_id?: string;
  begun_for?: SignInTarget;
  /** Digest of the previous session of the browser, which ends with the sign-in. */
  replaces?: string;
};

type RequestContext = Pick<Context, 'ports' | 'keys'>;

export const requestPut = ({ ports, keys }: RequestContext, state: string, request: OidcRequest): Write => ({
  put: oneTime(ports, keys.oidcRequest(digestOf(state)), REQUEST_MS, request),
  if: 'absent',
});

export type PendingRequest = { request: OidcRequest & OneTime; secrets: FlowSecrets };

/** Finds the request of a callback by its state; undefined if none is pending in this browser. */
export async function pendingRequest(
  { ports, keys }: RequestContext,
  state: string,
  cookies: readonly string[],
): Promise<PendingRequest | undefined> {
  const request = await findOneTime<OidcRequest>(ports, keys.oidcRequest(digestOf(state)));
  if (!request) return undefined;
  const secret = oidcSecret(cookies, new URL(request.origin));
  if (secret === undefined) return undefined;
  const secrets = flowSecrets(secret);
  return secrets.state === state ? { request, secrets } : undefined;
}
