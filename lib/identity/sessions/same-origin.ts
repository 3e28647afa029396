import { AppError } from '#lib/platform/errors.ts';
import {
  isSecureHost,
  isServiceHost,
  isServiceOrigin,
  type ServiceAddresses,
  serviceOriginOf,
  unknownHostError,
} from '#lib/platform/http/service-host.ts';

type Headers = Record<string, string | undefined>;

/**
 * Throws FORBIDDEN unless a request was sent to an address of the service and, if it may change data, by a same-origin
 * page. Pages and forms of other sites cannot set `X-Fleetwatch` (CORS). `Sec-Fetch-Site` and `Origin`, which no page
 * can set, detect pages of a sibling host, whose requests carry the cookie (Fetch Metadata Request Headers, 2.3).
 */
export function assertSameOriginRequest(method: string, headers: Headers, addresses: ServiceAddresses): void {
  assertServiceHost(headers, addresses);
  if (method === 'GET' || method === 'HEAD') return;
  if (!hasSource(headers)) throw crossOriginError();
  assertSameOriginPage(headers, addresses);
}

/**
 * Throws FORBIDDEN unless a sign-in or sign-out was sent to an address of the service from a same-origin page or a
 * client that is not a browser. This prevents a page of another site from signing a user in as another user.
 */
export function assertSameOriginSignIn(headers: Headers, addresses: ServiceAddresses): void {
  assertServiceHost(headers, addresses);
  if (hasSource(headers)) assertSameOriginPage(headers, addresses);
}

/**
 * Throws FORBIDDEN unless a form without a session was sent from a same-origin page or by a client that is not a
 * browser. Does not require `X-Fleetwatch`, because a form cannot set it.
 */
export function assertSameOriginForm(headers: Headers, addresses: ServiceAddresses): void {
  assertServiceHost(headers, addresses);
  const { host = '', origin } = headers;
  const site = headers['sec-fetch-site'];
  if (
    (site === undefined || site === 'same-origin') &&
    (origin === undefined || isServiceOrigin(origin, host, addresses))
  )
    return;
  throw new AppError(
    'FORBIDDEN',
    'This request came from a page of another site. Open the link and use the button there.',
  );
}

/** Whether a request names its source: every browser sends `Sec-Fetch-Site` or `Origin`, except with GET. */
const hasSource = ({ 'sec-fetch-site': site, origin }: Headers): boolean => site !== undefined || origin !== undefined;

function assertServiceHost({ host = '', origin }: Headers, addresses: ServiceAddresses): void {
  if (!isServiceHost(host, addresses)) throw unknownHostError(origin ?? `http://${host}`);
}

function assertSameOriginPage({ host = '', origin, ...headers }: Headers, addresses: ServiceAddresses): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw crossOriginError();
  if (origin !== undefined && !isServiceOrigin(origin, host, addresses))
    throw site === undefined ? crossOriginError() : unknownHostError(origin);
  if (headers['x-fleetwatch'] !== 'console') throw crossOriginError();
}

const crossOriginError = (): AppError =>
  new AppError(
    'FORBIDDEN',
    'A session works only on pages of this service: send "X-Fleetwatch: console" from a same-origin page, or use an API key.',
  );

// Session cookie. With https its name begins with __Host-, so that no other host and no connection without TLS can set
// it (RFC 6265bis, 4.1.3.2). With http its name contains the port, because cookies are shared by all ports of a host.
// SameSite is Strict, because only same-origin pages need the cookie.

export const SECURE_COOKIE = '__Host-fleetwatch_session';
const plain = (port: string): string => `fleetwatch_session_${port || '80'}`;

const TOKEN = /^[0-9A-Za-z]{43}$/;

/** Headers and cookies of a request: header names in lower case, cookies as `name=value`. */
export type Sent = { headers: Record<string, string | undefined>; cookies: readonly string[] };

/** Returns the Set-Cookie header of a session. @param seconds until the session ends */
export function sessionCookie(sent: Sent, addresses: ServiceAddresses, token: string, seconds: number): string {
  const { protocol, port } = serviceOriginOf(sent.headers, addresses);
  const rest = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${Math.max(0, Math.floor(seconds))}`;
  return protocol === 'https:' ? `${SECURE_COOKIE}=${token}; Secure; ${rest}` : `${plain(port)}=${token}; ${rest}`;
}

export const expiredSessionCookie = (sent: Sent, addresses: ServiceAddresses): string =>
  sessionCookie(sent, addresses, '', 0);

/**
 * Returns the session token of a request; undefined without one. At a host that is served only over TLS, only the
 * secure cookie counts. Throws UNAUTHORIZED for two cookies of one name, because another site set one.
 */
export function sessionToken(
  { headers: { host = '' }, cookies }: Sent,
  addresses: ServiceAddresses,
): string | undefined {
  const names = isSecureHost(host, addresses)
    ? [SECURE_COOKIE]
    : [SECURE_COOKIE, plain(URL.parse(`http://${host}`)?.port ?? '')];
  for (const name of names) {
    const [value, ...more] = cookies
      .filter((one) => one.startsWith(`${name}=`))
      .map((one) => one.slice(name.length + 1));
    if (more.length > 0) {
      throw new AppError('UNAUTHORIZED', `Two cookies are named ${name}. Remove the cookies of this site and sign in.`);
    }
    if (value !== undefined && TOKEN.test(value)) return value;
  }
  return undefined;
}
