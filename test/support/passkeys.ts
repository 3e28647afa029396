import { type Authenticator, makeAuthenticator, type Tampering } from '#infra/docs/authenticator.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { type ApiResponse, type Client, clientOf } from './client.ts';
import { memoryLog } from './log.ts';
import { type Service, startService, tenantOf } from './service.ts';

/** The page of these tests; its passkeys are bound to its host. */
export const PAGE = 'https://status.example.com';

export const PASSKEYS = '/v1/sign-in/passkeys';

/** A browser at one page. */
export type Browser = {
  /** Requests the options of a sign-in. */
  options(): Promise<ApiResponse>;
  /** Posts the response of an authenticator. */
  signIn(response: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  /** Requests options and signs in. @param tampering makes the response invalid */
  signInWith(authenticator: Authenticator, tampering?: Tampering): Promise<ApiResponse>;
  /** Requests the options of a new passkey for the user of the key. */
  newOptions(by: Client): Promise<ApiResponse>;
  add(by: Client, response: unknown, name?: string): Promise<ApiResponse>;
  /** Requests options and adds a passkey. */
  addTo(by: Client, authenticator: Authenticator, name?: string, tampering?: Tampering): Promise<ApiResponse>;
};

/** Opens a page in a browser. @param url of the service @param origin of the page */
export function browserAt(url: string, origin = PAGE): Browser {
  const anonymous = clientOf(url, '');
  const at = (by: Client) => clientOf(url, by.key);
  const headers = { origin, 'x-fleetwatch': 'console' };
  const self: Browser = {
    options: () => anonymous.send('POST', '/v1/sign-in/passkey/options', { headers }),
    signIn: (response, more) =>
      anonymous.send('POST', '/v1/sign-in/passkey', { body: { response }, headers: { ...headers, ...more } }),
    signInWith: async (authenticator, tampering) =>
      self.signIn(authenticator.get((await self.options()).body, origin, tampering)),
    newOptions: (by) => at(by).send('POST', `${PASSKEYS}/options`, { headers }),
    add: (by, response, name = 'laptop') => at(by).send('POST', PASSKEYS, { body: { name, response }, headers }),
    addTo: async (by, authenticator, name, tampering) =>
      self.add(by, authenticator.create((await self.newOptions(by)).body, origin, tampering), name),
  };
  return self;
}

/** Starts a service whose public URL is PAGE, with a browser at that page and a clock that a test can advance. */
export async function passkeyService() {
  let ahead = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + ahead };
  const log = memoryLog();
  const service = await startService({ env: { PUBLIC_URL: PAGE }, world: { clock }, log });
  return {
    service,
    /** Log lines. */
    lines: log.lines,
    browser: browserAt(service.url),
    /** Returns a browser at http://localhost, on the port of the service. */
    atLocalhost: () => {
      const url = service.url.replace('127.0.0.1', 'localhost');
      return browserAt(url, url);
    },
    advance: (ms: number) => {
      ahead += ms;
    },
    /** Creates an account whose admin has a passkey. */
    person: () => personOf(service),
  };
}

async function personOf(service: Service) {
  const { id, key } = await tenantOf(service);
  const client = clientOf(service.url, key);
  const authenticator = makeAuthenticator();
  const added = await browserAt(service.url).addTo(client, authenticator);
  if (added.status !== 201) throw new Error(`No passkey: ${JSON.stringify(added.body)}`);
  return { ...client, tenant: id, authenticator, passkey: added.body };
}
