import { createHmac } from 'node:crypto';

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
