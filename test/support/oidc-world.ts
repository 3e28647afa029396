import { type Client, clientOf } from './client.ts';
import { type IdentityProvider, type Person, startIdentityProvider } from './identity-provider.ts';
import { memoryLog } from './log.ts';
import { type PageResponse, PlainBrowser } from './plain-browser.ts';
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
  /** Whether the provider is down when the service starts. */
  isDown?: boolean;
};

/** Starts a provider and a service; disposing of the world stops both. */
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

/** Returns a user whom only the provider knows. */
export const newPerson = (more: Partial<Person> = {}): Person => {
  const count = ++people;
  return { sub: `subject-${count}`, email: `person-${count}@example.com`, email_verified: true, ...more };
};

/** Creates an account. @returns a client of its admin */
export async function newAdmin({ service }: OidcWorld): Promise<Client & { id: string }> {
  const tenant = await tenantOf(service);
  return { ...clientOf(service.url, tenant.key), id: tenant.id };
}

/** Begins a sign-in and signs in at the provider; does not load the callback. @returns the URL of the callback */
export async function toCallback(
  { provider, page }: OidcWorld,
  browser: PlainBrowser,
  person: Person | undefined,
  body: object = {},
): Promise<string> {
  const begun = await browser.call(`${page}/v1/sign-in/oidc`, { method: 'POST', body });
  if (begun.status !== 200) throw new Error(`The sign-in did not begin: ${begun.status} ${JSON.stringify(begun.body)}`);
  // Ends the previous session at the provider.
  browser.forget(provider.issuer);
  provider.person = person;
  return browser.follow(begun.body.url, page);
}

/** Performs a whole sign-in. @returns the response of the callback */
export async function passProvider(
  world: OidcWorld,
  browser: PlainBrowser,
  person: Person | undefined,
  body: object = {},
): Promise<PageResponse> {
  return browser.visit(await toCallback(world, browser, person, body));
}

/** Returns the body of GET /v1/session, undefined without a session. */
export async function sessionOf({ page }: OidcWorld, browser: PlainBrowser) {
  const { status, body } = await browser.call(`${page}/v1/session`);
  return status === 200 ? body : undefined;
}

/** Invites a user by e-mail address. @returns the token of the invitation */
export async function invited(admin: Client, email: string, role = 'member'): Promise<string> {
  const response = await admin.post('/v1/settings/users/invite', { email, role });
  if (response.status !== 201) throw new Error(`Not invited: ${JSON.stringify(response.body)}`);
  return response.body.invite_token;
}

/** Adds a user who accepts an invitation through the provider, in a separate browser. */
export async function newMember(world: OidcWorld, admin: Client, person = newPerson(), role = 'member') {
  const browser = new PlainBrowser();
  const token = await invited(admin, `invited-${person.email}`, role);
  const response = await passProvider(world, browser, person, { token });
  if (response.location !== '/') throw new Error(`Not accepted: ${response.location}`);
  return { person, browser };
}
