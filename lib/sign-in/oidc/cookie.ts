// The cookie that ties a sign-in at the provider to the browser it began in. Lax, as the provider leads back from
// another site. Named as the cookie of a session is (access/sessions/cookie.ts), and for the same reasons.

const SECURE = '__Host-fleetwatch_oidc';
const nameAt = ({ protocol, port }: URL): string =>
  protocol === 'https:' ? SECURE : `fleetwatch_oidc_${port || '80'}`;

/** Set-Cookie of it. @param origin where the browser has this service @param seconds until it goes; 0 takes it away */
export function oidcCookie(origin: URL, secret: string, seconds: number): string {
  const secure = origin.protocol === 'https:' ? '; Secure' : '';
  return `${nameAt(origin)}=${secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

/** The secret in it; undefined where none came, or two of one name: one of them is not ours. */
export function oidcSecret(cookies: readonly string[], origin: URL): string | undefined {
  const start = `${nameAt(origin)}=`;
  const [found, ...more] = cookies.filter((cookie) => cookie.startsWith(start));
  return more.length > 0 ? undefined : found?.slice(start.length);
}
