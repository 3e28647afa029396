import { createHmac } from 'node:crypto';
import { digestOf } from '#lib/access/api-key.ts';
import type { Context } from '#lib/access/context.ts';
import { findOneTime, type OneTime, oneTime } from '#lib/identity/one-time.ts';
import type { Write } from '#lib/platform/ports.ts';
import type { SignInTarget } from './resolve-identity.ts';

/** What a sign-in at a provider is tied together by, each 43 characters. */
export type FlowSecrets = {
  /** Ties the callback to this browser. */
  state: string;
  /** Ties the ID token to this sign-in. */
  nonce: string;
  /** Ties the code to whoever asked for it (RFC 7636). */
  verifier: string;
};

/**
 * All of them follow, one way, from the one secret that the browser keeps in its cookie. So nothing of them is stored,
 * and who sees an address with state and code in it can make neither the cookie nor the verifier of them.
 */
export function flowSecrets(cookie: string): FlowSecrets {
  const part = (name: string) => createHmac('sha256', cookie).update(name).digest('base64url');
  return { state: part('state'), nonce: part('nonce'), verifier: part('verifier') };
}

// The cookie that ties a sign-in at the provider to the browser it began in. Lax, as the provider leads back from
// another site. Named as the cookie of a session is (sessions/same-origin.ts), and for the same reasons.

const SECURE = '__Host-fleetwatch_oidc';
const nameAt = ({ protocol, port }: URL): string =>
  protocol === 'https:' ? SECURE : `fleetwatch_oidc_${port || '80'}`;

/** Set-Cookie of it. @param origin where the browser has this service @param seconds until it goes; 0 takes it away */
export function oidcCookie(origin: URL, secret: string, seconds: number): string {
  const secure = origin.protocol === 'https:' ? '; Secure' : '';
  return `${nameAt(origin)}=${secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

/** The secret in it; undefined where none came, or two of one name: one of them is not ours. */
export function oidcSecret(cookies: readonly string[], origin: URL): string | undefined {
  const start = `${nameAt(origin)}=`;
  const [found, ...more] = cookies.filter((cookie) => cookie.startsWith(start));
  return more.length > 0 ? undefined : found?.slice(start.length);
}

/** How long a person may take at the provider: ten minutes, in ms. */
export const REQUEST_MS = 600_000;

/** What is kept of a sign-in while the person is at the provider. About 400 bytes, and nothing of it is a secret. */
export type OidcRequest = {
  /** Where the browser has this service: `https://status.example.com`. */
  origin: string;
  return_to: string;
  /** Of the accounts of the person the one that is meant; absent: the last used. */
  account_id?: string;
  begun_for?: SignInTarget;
  /** Digest of the session that the browser had: it ends with the sign-in. */
  replaces?: string;
};

type Here = Pick<Context, 'ports' | 'keys'>;

/** The write of a request, under the digest of its state. */
export const requestPut = ({ ports, keys }: Here, state: string, request: OidcRequest): Write => ({
  put: oneTime(ports, keys.oidcRequest(digestOf(state)), REQUEST_MS, request),
  if: 'absent',
});

/** A request with the secrets of the browser that it began in. */
export type Returned = { request: OidcRequest & OneTime; secrets: FlowSecrets };

/**
 * The request of a callback by its state. Undefined where none is pending, and where another browser comes with it:
 * that takes nothing from the one it began in.
 */
export async function pendingRequest(
  { ports, keys }: Here,
  state: string,
  cookies: readonly string[],
): Promise<Returned | undefined> {
  const request = await findOneTime<OidcRequest>(ports, keys.oidcRequest(digestOf(state)));
  if (!request) return undefined;
  const secret = oidcSecret(cookies, new URL(request.origin));
  if (secret === undefined) return undefined;
  const secrets = flowSecrets(secret);
  return secrets.state === state ? { request, secrets } : undefined;
}
