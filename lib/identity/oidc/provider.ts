import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import type { Ports } from '#lib/env.ts';
import { NetError } from '#lib/net/net.ts';
import { shorten } from '#lib/platform/text.ts';
import { type Claims, claimsOf, type OidcError, SignInRefused } from './claims.ts';
import type { FlowSecrets } from './request.ts';

/** Errors whose messages are fixed texts. Others quote what came, tokens too: of these the name must do. */
const PLAIN = new Set(['ClientError', 'OperationProcessingError', 'UnsupportedOperationError']);

/** Codes of errors that a provider answers (RFC 6749, sections 4.1.2.1 and 5.2), where they say more than "failed". */
const REASONS: Record<string, OidcError> = {
  access_denied: 'denied',
  temporarily_unavailable: 'unreachable',
  server_error: 'unreachable',
};

const MAX_ERROR_TEXT = 500;

/**
 * Any error of openid-client, and of the network under it, as the refusal of the sign-in.
 * @param secrets what a provider might repeat in its description of the error
 */
export function signInRefusal(error: unknown, secrets: readonly string[]): SignInRefused {
  const chain = chainOf(error);
  const known = chain.find((one) => one instanceof SignInRefused);
  if (known) return known;
  const net = chain.find((one) => one instanceof NetError);
  if (net) return new SignInRefused('unreachable', net.message);
  if (chain.some(({ name }) => name === 'TimeoutError')) return new SignInRefused('unreachable', 'it did not answer');
  const answered = chain.find(isAnswer);
  if (answered) {
    const { error: code, error_description: description } = answered;
    const told = description === undefined ? code : `${code}: ${description}`;
    const message = `it answered ${shorten(withoutSecrets(told, secrets), MAX_ERROR_TEXT)}`;
    return new SignInRefused(Object.hasOwn(REASONS, code) ? REASONS[code]! : 'failed', message);
  }
  const told = chain.map(({ name, message }) => (PLAIN.has(name) ? message : name));
  return new SignInRefused('failed', [...new Set(told)].join(': '));
}

type Answered = Error & { error: string; error_description?: string };

const isAnswer = (error: Error): error is Answered => 'error' in error && typeof error.error === 'string';

function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < 10; one = one.cause) chain.push(one);
  return chain;
}

const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.filter(Boolean).reduce((rest, secret) => rest.replaceAll(secret, '********'), text);

// The identity provider of the settings, as openid-client speaks to it. Nothing is kept of it from one call to the
// next: its document and its keys change when they like, a sign-in is rare, and a provider that was down is tried anew.

type World = Pick<Ports, 'net' | 'settings'>;

/** One request. A callback makes four of them at most, and the gateway of AWS waits for 29 s. */
const TIMEOUT_MS = 6000;
const MAX_BODY = 512 * 1024;

/** Loaded at the first sign-in by a provider: nobody else needs it. */
const library = () => import('openid-client');

/**
 * The address at the provider where a sign-in begins: authorization code with PKCE (RFC 7636), state and nonce. Throws
 * SignInRefused.
 */
export async function authorizationUrl(
  world: World,
  { state, nonce, verifier }: FlowSecrets,
  redirect_uri: string,
): Promise<string> {
  const client = await library();
  const parameters = {
    redirect_uri,
    scope: world.settings.OIDC_SCOPES,
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  return atProvider(async () => client.buildAuthorizationUrl(await configured(world), parameters).href);
}

/** What a provider said of the person who has come back from it. */
export type VerifiedIdentity = {
  claims: Claims;
  /** The same with name and e-mail address, which many providers tell at their UserInfo endpoint alone. */
  inFull(): Promise<Claims>;
};

/**
 * Exchanges the code of a callback and verifies what comes of it: state and `iss` of the answer (RFC 9207); of the ID
 * token the signature by a key of the provider, issuer, audience, times and nonce. Throws SignInRefused.
 * @param callback the address that the browser was sent to, with its query
 */
export async function verifyCallback(
  world: World,
  { state, nonce, verifier }: FlowSecrets,
  callback: URL,
): Promise<VerifiedIdentity> {
  const client = await library();
  const secrets = [callback.searchParams.get('code') ?? '', state, nonce, verifier, world.settings.OIDC_CLIENT_SECRET];
  const config = await atProvider(() => configured(world), secrets);
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
  const tokens = await atProvider(() => client.authorizationCodeGrant(config, callback, checks), secrets);
  const told = tokens.claims()!;
  const inFull = async () => {
    if (typeof told.email === 'string' || config.serverMetadata().userinfo_endpoint === undefined)
      return claimsOf(told);
    // Of the same subject, or it fails (OpenID Connect Core 1.0, section 5.3.2).
    const more = await atProvider(
      () => client.fetchUserInfo(config, tokens.access_token, told.sub),
      [...secrets, tokens.access_token],
    );
    return claimsOf({ ...told, ...more, iss: told.iss });
  };
  return { claims: claimsOf(told), inFull };
}

/** The provider as its discovery document describes it now. */
async function configured({ net, settings }: World): Promise<Configuration> {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = settings;
  const client = await library();
  const secretly: ClientAuth = (server, ...rest) => {
    // What a provider that names none takes (OpenID Connect Discovery 1.0, section 3).
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const way = methods.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
    return way(OIDC_CLIENT_SECRET)(server, ...rest);
  };
  const isPlain = OIDC_ISSUER.startsWith('http:');
  const config = await client.discovery(
    new URL(`${OIDC_ISSUER.replace(/\/$/, '')}/.well-known/openid-configuration`),
    OIDC_CLIENT_ID,
    undefined,
    OIDC_CLIENT_SECRET === '' ? client.None() : secretly,
    {
      [client.customFetch]: fetchBy(net),
      timeout: TIMEOUT_MS / 1000,
      execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
    },
  );
  const { issuer } = config.serverMetadata();
  // To the letter: identities are stored under it, and a document for all tenants of a provider would let in anybody's.
  if (issuer === OIDC_ISSUER) return config;
  throw new SignInRefused('failed', `OIDC_ISSUER must be what its discovery document says, to the letter: ${issuer}`);
}

/**
 * The requests of openid-client by our own net, with its bounds of time and size. Where the provider is, is the
 * operator's to say and no tenant's: it may be in a network of their own, whatever CHECK_EGRESS says, but never a
 * link-local address or cloud metadata.
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
    if (status < 200 || status >= 500) throw new NetError('connect', `it answered with status ${status}`);
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
