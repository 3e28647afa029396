import { AppError } from '#lib/platform/errors.ts';
import {
  isServiceHost,
  isServiceOrigin,
  type ServiceAddresses,
  serviceOriginOf,
  unknownHostError,
} from '#lib/platform/http/service-host.ts';

type Headers = Record<string, string | undefined>;

/**
 * Throws FORBIDDEN unless a request that brings a session may use it: it came to an address of ours, and where it may
 * change something, from a page of ours. A page of another site cannot set `X-Fleetwatch`, as CORS does not name it,
 * and neither can a form; `Sec-Fetch-Site` and `Origin` no page can set, so that a sibling host, which shares our
 * site and so sends the cookie, is told apart (Fetch Metadata Request Headers, section 2.4).
 */
export function assertSameOriginRequest(method: string, headers: Headers, own: ServiceAddresses): void {
  assertServiceHost(headers, own);
  if (method === 'GET' || method === 'HEAD') return;
  if (!saysWhereFrom(headers)) throw notFromHere();
  assertSameOriginPage(headers, own);
}

/**
 * Throws FORBIDDEN unless whoever asks for a session, or for the end of one, is at an address of ours, and on a page of
 * ours; what is no browser says nothing of pages. So that no other page signs a person in as somebody else.
 */
export function assertSameOriginSignIn(headers: Headers, own: ServiceAddresses): void {
  assertServiceHost(headers, own);
  if (saysWhereFrom(headers)) assertSameOriginPage(headers, own);
}

/**
 * Throws FORBIDDEN unless a form that needs no session was sent from a page of ours, or by what is no browser. Such a
 * page has no script, so that it cannot set `X-Fleetwatch`.
 */
export function assertSameOriginForm(headers: Headers, own: ServiceAddresses): void {
  assertServiceHost(headers, own);
  const { host = '', origin } = headers;
  const site = headers['sec-fetch-site'];
  if ((site === undefined || site === 'same-origin') && (origin === undefined || isServiceOrigin(origin, host, own)))
    return;
  throw new AppError(
    'FORBIDDEN',
    'This came from a page of another site. Open the link itself, and use the button there.',
  );
}

/** Every browser sends one of the two with all that is no GET. */
const saysWhereFrom = ({ 'sec-fetch-site': site, origin }: Headers): boolean =>
  site !== undefined || origin !== undefined;

function assertServiceHost({ host = '', origin }: Headers, own: ServiceAddresses): void {
  if (!isServiceHost(host, own)) throw unknownHostError(origin ?? `http://${host}`);
}

function assertSameOriginPage({ host = '', origin, ...headers }: Headers, own: ServiceAddresses): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw notFromHere();
  if (origin !== undefined && !isServiceOrigin(origin, host, own))
    throw site === undefined ? notFromHere() : unknownHostError(origin);
  if (headers['x-fleetwatch'] !== 'console') throw notFromHere();
}

const notFromHere = (): AppError =>
  new AppError(
    'FORBIDDEN',
    'A session is for pages of this service alone: send "X-Fleetwatch: console" from a page of the same origin, or use ' +
      'an API key.',
  );

// The cookie of a session. At https its name begins with __Host-, so that no other host, and nobody without TLS, can
// set it (RFC 6265bis, 4.1.3.2). At plain http that is not possible; there its name holds the port, as cookies do not
// keep the ports of a host apart. It is for the calls of our own pages alone: Strict.

export const SECURE_COOKIE = '__Host-fleetwatch_session';
const plain = (port: string): string => `fleetwatch_session_${port || '80'}`;

const TOKEN = /^[0-9A-Za-z]{43}$/;

/** What is read of a request: names of headers in lower case, cookies as `name=value`. */
export type Sent = { headers: Record<string, string | undefined>; cookies: readonly string[] };

/** Set-Cookie of a session that has begun. @param seconds until its end */
export function sessionCookie(sent: Sent, own: ServiceAddresses, token: string, seconds: number): string {
  const { protocol, port } = serviceOriginOf(sent.headers, own);
  const rest = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${Math.max(0, Math.floor(seconds))}`;
  return protocol === 'https:' ? `${SECURE_COOKIE}=${token}; Secure; ${rest}` : `${plain(port)}=${token}; ${rest}`;
}

/** Set-Cookie that takes it away. */
export const noCookie = (sent: Sent, own: ServiceAddresses): string => sessionCookie(sent, own, '', 0);

/**
 * The token of the session that a request brings along; undefined where it brings none. At the host of a PUBLIC_URL of
 * https only the cookie that is safe there counts. Throws UNAUTHORIZED for two of one name: one of them is not ours.
 */
export function sessionToken({ headers: { host = '' }, cookies }: Sent, own: ServiceAddresses): string | undefined {
  const page = URL.parse(own.PUBLIC_URL);
  const isSecure = page?.protocol === 'https:' && page.host === host.toLowerCase();
  const names = isSecure ? [SECURE_COOKIE] : [SECURE_COOKIE, plain(URL.parse(`http://${host}`)?.port ?? '')];
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
