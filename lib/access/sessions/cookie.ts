import { AppError } from '#lib/platform/errors.ts';
import { type OwnAddresses, ownOrigin } from '#lib/platform/http/own-address.ts';

// The cookie of a session. At https its name begins with __Host-, so that no other host, and nobody without TLS, can
// set it (RFC 6265bis, 4.1.3.2). At plain http that is not possible; there its name holds the port, as cookies do not
// keep the ports of a host apart. It is for the calls of our own pages alone: Strict.

export const SECURE_COOKIE = '__Host-fleetwatch_session';
const plain = (port: string): string => `fleetwatch_session_${port || '80'}`;

const TOKEN = /^[0-9A-Za-z]{43}$/;

/** What is read of a request: names of headers in lower case, cookies as `name=value`. */
export type Sent = { headers: Record<string, string | undefined>; cookies: readonly string[] };

/** Set-Cookie of a session that has begun. @param seconds until its end */
export function sessionCookie(sent: Sent, own: OwnAddresses, token: string, seconds: number): string {
  const { protocol, port } = ownOrigin(sent.headers, own);
  const rest = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${Math.max(0, Math.floor(seconds))}`;
  return protocol === 'https:' ? `${SECURE_COOKIE}=${token}; Secure; ${rest}` : `${plain(port)}=${token}; ${rest}`;
}

/** Set-Cookie that takes it away. */
export const noCookie = (sent: Sent, own: OwnAddresses): string => sessionCookie(sent, own, '', 0);

/**
 * The token of the session that a request brings along; undefined where it brings none. At the host of a PUBLIC_URL of
 * https only the cookie that is safe there counts. Throws UNAUTHORIZED for two of one name: one of them is not ours.
 */
export function sessionToken({ headers: { host = '' }, cookies }: Sent, own: OwnAddresses): string | undefined {
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
