import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import type { Ports } from '#lib/env.ts';
import { NetError } from '#lib/net/net.ts';
import { shorten } from '#lib/platform/text.ts';
import { type Claims, claimsOf, type OidcError, SignInRefused } from './claims.ts';
import type { FlowSecrets } from './request.ts';

/** Errors with fixed messages. Other errors can quote received data and tokens, so only their names are used. */
const PLAIN = new Set(['ClientError', 'OperationProcessingError', 'UnsupportedOperationError']);

/** Codes of provider errors (RFC 6749, sections 4.1.2.1 and 5.2) that mean more than "failed". */
const REASONS: Record<string, OidcError> = {
  access_denied: 'denied',
  temporarily_unavailable: 'unreachable',
  server_error: 'unreachable',
};

const MAX_ERROR_TEXT = 500;

/** Converts an error to a rejected sign-in. @param secrets values that a provider might repeat in its error */
export function signInRefusal(error: unknown, secrets: readonly string[]): SignInRefused {
  const chain = chainOf(error);
  const known = chain.find((one) => one instanceof SignInRefused);
  if (known) return known;
  const net = chain.find((one) => one instanceof NetError);
  if (net) return new SignInRefused('unreachable', net.message);
  if (chain.some(({ name }) => name === 'TimeoutError')) return new SignInRefused('unreachable', 'it did not respond');
  const response = chain.find(isErrorResponse);
  if (response) {
    const { error: code, error_description: description } = response;
    const text = description === undefined ? code : `${code}: ${description}`;
    const message = `it returned ${shorten(withoutSecrets(text, secrets), MAX_ERROR_TEXT)}`;
    return new SignInRefused(Object.hasOwn(REASONS, code) ? REASONS[code]! : 'failed', message);
  }
  const parts = chain.map(({ name, message }) => (PLAIN.has(name) ? message : name));
  return new SignInRefused('failed', [...new Set(parts)].join(': '));
}

type ErrorResponse = Error & { error: string; error_description?: string };

const isErrorResponse = (error: Error): error is ErrorResponse => 'error' in error && typeof error.error === 'string';

function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < 10; one = one.cause) chain.push(one);
  return chain;
}

const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.filter(Boolean).reduce((rest, secret) => rest.replaceAll(secret, '********'), text);

// Nothing is cached, because sign-ins are rare, and the provider can change or recover.

type ProviderPorts = Pick<Ports, 'net' | 'settings'>;

/** Timeout of a request. A callback makes up to four, and the gateway of AWS waits for 29 s. */
const TIMEOUT_MS = 6000;
const MAX_BODY = 512 * 1024;

const library = () => import('openid-client');

/** Returns the URL that starts a sign-in: authorization code with PKCE (RFC 7636). Throws SignInRefused. */
export async function authorizationUrl(
  ports: ProviderPorts,
  { state, nonce, verifier }: FlowSecrets,
  redirect_uri: string,
): Promise<string> {
  const client = await library();
  const parameters = {
    redirect_uri,
    scope: ports.settings.OIDC_SCOPES,
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  return atProvider(async () => client.buildAuthorizationUrl(await configured(ports), parameters).href);
}

export type VerifiedIdentity = {
  claims: Claims;
  /** Returns the claims with name and e-mail address, which many providers return only from their UserInfo endpoint. */
  inFull(): Promise<Claims>;
};

/**
 * Exchanges the code of a callback and verifies the response: state and `iss` (RFC 9207); signature, issuer, audience,
 * times and nonce of the ID token. Throws SignInRefused. `callback`: URL of the redirect, with its query.
 */
export async function verifyCallback(
  ports: ProviderPorts,
  { state, nonce, verifier }: FlowSecrets,
  callback: URL,
): Promise<VerifiedIdentity> {
  const client = await library();
  const secrets = [callback.searchParams.get('code') ?? '', state, nonce, verifier, ports.settings.OIDC_CLIENT_SECRET];
  const config = await atProvider(() => configured(ports), secrets);
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
  const tokens = await atProvider(() => client.authorizationCodeGrant(config, callback, checks), secrets);
  const claims = tokens.claims()!;
  const inFull = async () => {
    if (typeof claims.email === 'string' || config.serverMetadata().userinfo_endpoint === undefined)
      return claimsOf(claims);
    // Throws if UserInfo has another subject (OpenID Connect Core 1.0, section 5.3.2).
    const more = await atProvider(
      () => client.fetchUserInfo(config, tokens.access_token, claims.sub),
      [...secrets, tokens.access_token],
    );
    return claimsOf({ ...claims, ...more, iss: claims.iss });
  };
  return { claims: claimsOf(claims), inFull };
}

async function configured({ net, settings }: ProviderPorts): Promise<Configuration> {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = settings;
  const client = await library();
  const authenticateWithSecret: ClientAuth = (server, ...rest) => {
    // Default of a provider that names no method (OpenID Connect Discovery 1.0, section 3).
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const authenticate = methods.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
    return authenticate(OIDC_CLIENT_SECRET)(server, ...rest);
  };
  const isPlainHttp = OIDC_ISSUER.startsWith('http:');
  const config = await client.discovery(
    new URL(`${OIDC_ISSUER.replace(/\/$/, '')}/.well-known/openid-configuration`),
    OIDC_CLIENT_ID,
    undefined,
    OIDC_CLIENT_SECRET === '' ? client.None() : authenticateWithSecret,
    {
      [client.customFetch]: fetchBy(net),
      timeout: TIMEOUT_MS / 1000,
      execute: [client.enableNonRepudiationChecks, ...(isPlainHttp ? [client.allowInsecureRequests] : [])],
    },
  );
  const { issuer } = config.serverMetadata();
  // They must be equal: identities are stored by issuer, and a multi-tenant provider would admit users of any tenant.
  if (issuer === OIDC_ISSUER) return config;
  throw new SignInRefused('failed', `OIDC_ISSUER must equal the issuer of its discovery document: ${issuer}`);
}

/**
 * Sends requests of openid-client with the limits of the service for time and size. The operator chooses the provider:
 * it may be in a private network regardless of CHECK_EGRESS, but never at a link-local address or cloud metadata.
 */
const fetchBy =
  (net: Ports['net']): CustomFetch =>
  async (url, { method, headers, body }) => {
    const reply = await net.http({
      url,
      method,
      headers,
      ...(body != null && { body: String(body) }),
      timeout_ms: TIMEOUT_MS,
      max_body_bytes: MAX_BODY,
      egress: 'any',
      max_redirects: 0,
    });
    const { status } = reply;
    if (status < 200 || status >= 500) throw new NetError('connect', `it returned status ${status}`);
    const type = reply.headers['content-type'];
    const hasBody = status !== 204 && status !== 205 && status !== 304;
    return new Response(hasBody ? reply.body : null, { status, ...(type && { headers: { 'content-type': type } }) });
  };

async function atProvider<T>(call: () => Promise<T>, secrets: readonly string[] = []): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw signInRefusal(error, secrets);
  }
}
