import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import Provider from 'oidc-provider';
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';
import { noteSecret } from './kept-secrets.ts';
import { lastingPort } from './lasting-port.ts';

/** Claims of the user who signs in at the provider. */
export type Person = { sub: string; email?: string; email_verified?: unknown; name?: string };

type Claims = Record<string, unknown>;

/** Faulty behavior of the provider, while it is set. */
export type Fault = {
  /** Replaces the claims of the ID token. */
  idToken?: (claims: Claims) => Claims;
  /** Whether the ID token is signed with a key that the provider does not have. */
  foreignKey?: boolean;
  userInfo?: (claims: Claims) => Claims;
  discovery?: (document: Claims) => Claims;
  /** Whether the code exchange fails with an error that repeats the request. */
  echo?: boolean;
};

export type IdentityProvider = {
  /** Its issuer: `http://127.0.0.1:<port>`. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** User at the browser; undefined: the user denies consent. */
  person: Person | undefined;
  fault: Fault;
  /** Whether the ID token includes the e-mail address; otherwise only UserInfo does. */
  emailInIdToken: boolean;
  /** Every code and token that it issued. */
  given: string[];
  /** Number of UserInfo requests so far. */
  userInfoRequests: number;
  /** Registers the redirect URI. */
  register(redirect_uri: string): void;
  /** Replaces all keys. */
  rotateKeys(): void;
  down(): Promise<void>;
  up(): Promise<void>;
};

/** The memory store of oidc-provider, which warns if its own class name is used. */
class OwnAdapter extends MemoryAdapter {}

type Key = { private: KeyObject; kid: string };

let keys = 0;
function newKey(): Key {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { private: privateKey, kid: `key-${++keys}` };
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const read = (token: string): Claims => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

function signed(claims: Claims, { private: key, kid }: Key): string {
  const text = `${part({ alg: 'RS256', typ: 'JWT', kid })}.${part(claims)}`;
  return `${text}.${createSign('sha256').update(text).sign(key, 'base64url')}`;
}

/**
 * Starts a real provider (oidc-provider) on 127.0.0.1, which is a different site from a service on localhost. It does
 * not show a page: every visitor is signed in as `person`.
 * @param isPublic whether the client has no secret
 */
export async function startIdentityProvider({ isPublic = false } = {}): Promise<IdentityProvider> {
  const port = await lastingPort();
  const issuer = `http://127.0.0.1:${port}`;
  let key = newKey();
  let redirectUri = 'http://localhost/';
  let provider: Provider | undefined;
  let server: Server | undefined;

  const own: IdentityProvider = {
    issuer,
    clientId: 'fleetwatch',
    clientSecret: isPublic ? '' : 'a client secret: +/%& of forty characters',
    person: undefined,
    fault: {},
    emailInIdToken: false,
    given: [],
    userInfoRequests: 0,
    register(redirect_uri) {
      redirectUri = redirect_uri;
      provider = undefined;
    },
    rotateKeys() {
      key = newKey();
      provider = undefined;
    },
    down: async () => {
      const closing = server;
      server = undefined;
      closing?.closeAllConnections();
      await new Promise((resolve) => (closing ? closing.close(resolve) : resolve(undefined)));
    },
    up: () =>
      new Promise((resolve) => {
        server = createServer(async (request, response) => {
          provider ??= make();
          if (!request.url!.startsWith('/interaction/')) return provider.callback()(request, response);
          const result = own.person
            ? { login: { accountId: own.person.sub } }
            : { error: 'access_denied', error_description: 'The user denied consent.' };
          await provider.interactionFinished(request, response, result);
        }).listen(port, '127.0.0.1', () => resolve());
      }),
  };

  function make(): Provider {
    const jwk = { ...key.private.export({ format: 'jwk' }), kid: key.kid, alg: 'RS256', use: 'sig' };
    const made = new Provider(issuer, {
      adapter: OwnAdapter,
      clients: [
        {
          client_id: own.clientId,
          redirect_uris: [redirectUri],
          response_types: ['code'],
          grant_types: ['authorization_code'],
          ...(isPublic ? { token_endpoint_auth_method: 'none' } : { client_secret: own.clientSecret }),
        },
      ],
      jwks: { keys: [jwk] },
      cookies: { keys: ['a key of the provider'] },
      claims: { email: ['email', 'email_verified'], profile: ['name'] },
      conformIdTokenClaims: !own.emailInIdToken,
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
      findAccount: (_: unknown, accountId: string) => ({
        accountId,
        claims: () => ({ ...own.person, sub: accountId }),
      }),
      // biome-ignore lint/suspicious/noExplicitAny: the context of Koa
      async loadExistingGrant(ctx: any) {
        const { oidc } = ctx;
        const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    made.use(async (ctx, next) => {
      await next();
      const { body, path } = ctx;
      const { fault } = own;
      const code = /[?&]code=([^&]+)/.exec(ctx.response.get('location') ?? '')?.[1];
      if (code) {
        own.given.push(code);
        noteSecret(code);
      }
      if (path === '/.well-known/openid-configuration' && fault.discovery) ctx.body = fault.discovery(body);
      if (path === '/me') own.userInfoRequests += 1;
      if (path === '/me' && fault.userInfo) ctx.body = fault.userInfo(body);
      if (path !== '/token') return;
      if (fault.echo) {
        ctx.status = 400;
        const request = `${ctx.get('authorization')} ${JSON.stringify(ctx.oidc.body)} ${own.clientSecret}`;
        ctx.body = { error: 'invalid_grant', error_description: `you sent ${request}` };
      } else if (body?.id_token) {
        const claims = fault.idToken?.(read(body.id_token)) ?? read(body.id_token);
        if (fault.idToken || fault.foreignKey) {
          const by = fault.foreignKey ? { ...newKey(), kid: key.kid } : key;
          ctx.body = { ...body, id_token: signed(claims, by) };
        }
        own.given.push(body.access_token, ctx.body.id_token);
      }
    });
    return made;
  }

  await own.up();
  return own;
}
