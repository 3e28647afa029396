import { type Client, clientOf } from './client.ts';
import { type IdentityProvider, type Person, startIdentityProvider } from './identity-provider.ts';
import { memoryLog } from './log.ts';
import { type PageAnswer, PlainBrowser } from './plain-browser.ts';
import { type Service, type ServiceOptions, startService, tenantOf } from './service.ts';

export const CALLBACK = '/v1/sign-in/oidc/callback';

/** A service on localhost with a real provider on 127.0.0.1: two sites. */
export type OidcWorld = AsyncDisposable & {
  provider: IdentityProvider;
  service: Service;
  /** `http://localhost:<port>`. */
  page: string;
  log: ReturnType<typeof memoryLog>;
};

export type OidcOptions = ServiceOptions & {
  isPublic?: boolean;
  /** Whether the provider is not there when the service starts. */
  isDown?: boolean;
};

/** Disposing of it ends both. */
export async function oidcWorld({ isPublic, isDown, env, ...options }: OidcOptions = {}): Promise<OidcWorld> {
  const provider = await startIdentityProvider({ isPublic: isPublic ?? false });
  if (isDown) await provider.down();
  const log = memoryLog();
  const service = await startService({
    log,
    ...options,
    env: {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
      ...env,
    },
  });
  const page = service.url.replace('127.0.0.1', 'localhost');
  provider.register(page + CALLBACK);
  const end = async () => {
    await service.stop();
    await provider.down();
  };
  return { provider, service, page, log, [Symbol.asyncDispose]: end };
}

let people = 0;

/** Somebody whom the provider knows, and nobody else. */
export const newPerson = (more: Partial<Person> = {}): Person => {
  const count = ++people;
  return { sub: `subject-${count}`, email: `person-${count}@example.com`, email_verified: true, ...more };
};

/** An admin of a new account. */
export async function newAdmin({ service }: OidcWorld): Promise<Client & { id: string }> {
  const tenant = await tenantOf(service);
  return { ...clientOf(service.url, tenant.key), id: tenant.id };
}

/** Begins a sign-in, and passes the provider as that person; the callback is not loaded yet. @returns its address */
export async function toCallback(
  { provider, page }: OidcWorld,
  browser: PlainBrowser,
  person: Person | undefined,
  body: object = {},
): Promise<string> {
  const begun = await browser.call(`${page}/v1/sign-in/oidc`, { method: 'POST', body });
  if (begun.status !== 200) throw new Error(`No sign-in began: ${begun.status} ${JSON.stringify(begun.body)}`);
  // Whoever was signed in at the provider before is not any more.
  browser.forget(provider.issuer);
  provider.person = person;
  return browser.follow(begun.body.url, page);
}

/** A whole sign-in. @returns what the callback answered */
export async function passProvider(
  world: OidcWorld,
  browser: PlainBrowser,
  person: Person | undefined,
  body: object = {},
): Promise<PageAnswer> {
  return browser.visit(await toCallback(world, browser, person, body));
}

/** Who is signed in: the body of GET /v1/session, undefined for nobody. */
export async function sessionOf({ page }: OidcWorld, browser: PlainBrowser) {
  const { status, body } = await browser.call(`${page}/v1/session`);
  return status === 200 ? body : undefined;
}

/** Invites by e-mail address. @returns the token */
export async function invited(admin: Client, email: string, role = 'member'): Promise<string> {
  const answer = await admin.post('/v1/settings/users/invite', { email, role });
  if (answer.status !== 201) throw new Error(`Not invited: ${JSON.stringify(answer.body)}`);
  return answer.body.invite_token;
}

/** Somebody whose invitation was accepted by the provider, in a browser of their own. */
export async function newMember(world: OidcWorld, admin: Client, person = newPerson(), role = 'member') {
  const browser = new PlainBrowser();
  const token = await invited(admin, `invited-${person.email}`, role);
  const answer = await passProvider(world, browser, person, { token });
  if (answer.location !== '/') throw new Error(`Not accepted: ${answer.location}`);
  return { person, browser };
}
