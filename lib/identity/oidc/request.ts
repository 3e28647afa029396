import { digestOf } from '#lib/access/api-key.ts';
import type { Context } from '#lib/access/context.ts';
import { findOneTime, type OneTime, oneTime } from '#lib/identity/one-time.ts';
import type { Write } from '#lib/platform/ports.ts';
import { oidcSecret } from '#lib/sign-in/oidc/cookie.ts';
import { type FlowSecrets, flowSecrets } from '#lib/sign-in/oidc/flow-secrets.ts';
import type { MeantFor } from './who-it-is.ts';

/** How long a person may take at the provider: ten minutes, in ms. */
export const REQUEST_MS = 600_000;

/** What is kept of a sign-in while the person is at the provider. About 400 bytes, and nothing of it is a secret. */
export type OidcRequest = {
  /** Where the browser has this service: `https://status.example.com`. */
  origin: string;
  return_to: string;
  /** Of the accounts of the person the one that is meant; absent: the last used. */
  account_id?: string;
  begun_for?: MeantFor;
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
