import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { HttpReply, HttpRequest } from '#lib/net/net.ts';

/** Settings of the service for the walk through the examples (example-requests.ts). */
export const WALK_PROVIDER = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'fleetwatch' };

const { OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: AUDIENCE } = WALK_PROVIDER;

const DOCUMENT = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/keys`,
  id_token_signing_alg_values_supported: ['Ed25519'],
};

let pair: { privateKey: KeyObject; publicKey: KeyObject } | undefined;

/** Returns the reply of an identity provider whose authorization codes are the nonces; undefined for other hosts. */
export function providerReply({ url, body = '' }: HttpRequest): HttpReply | undefined {
  if (!url.startsWith(`${ISSUER}/`)) return undefined;
  const json = (value: object): HttpReply => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
    latency_ms: 5,
  });
  if (url.endsWith('/openid-configuration')) return json(DOCUMENT);
  pair ??= generateKeyPairSync('ed25519');
  if (url === DOCUMENT.jwks_uri) return json({ keys: [pair.publicKey.export({ format: 'jwk' })] });
  const id_token = idToken(new URLSearchParams(body).get('code') ?? '', pair.privateKey);
  return json({ access_token: 'unused', token_type: 'Bearer', id_token });
}

function idToken(nonce: string, key: KeyObject): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: ISSUER, sub: '248289761001', aud: AUDIENCE, email: 'ann@example.com', email_verified: true };
  const parts = [{ alg: 'Ed25519' }, { ...claims, nonce, iat: now, exp: now + 60 }];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}
