import { AppError } from '#lib/platform/errors.ts';
import { isOwnHost, isOwnOrigin, notOurs, type OwnAddresses } from '#lib/platform/http/own-address.ts';

type Headers = Record<string, string | undefined>;

/**
 * Throws FORBIDDEN unless a request that brings a session may use it: it came to an address of ours, and where it may
 * change something, from a page of ours. A page of another site cannot set `X-Fleetwatch`, as CORS does not name it,
 * and neither can a form; `Sec-Fetch-Site` and `Origin` no page can set, so that a sibling host, which shares our
 * site and so sends the cookie, is told apart (Fetch Metadata Request Headers, section 2.4).
 */
export function mustBeOwnRequest(method: string, headers: Headers, own: OwnAddresses): void {
  mustBeOwnHost(headers, own);
  if (method === 'GET' || method === 'HEAD') return;
  if (!saysWhereFrom(headers)) throw notFromHere();
  mustBeOwnPage(headers, own);
}

/**
 * Throws FORBIDDEN unless whoever asks for a session, or for the end of one, is at an address of ours, and on a page of
 * ours; what is no browser says nothing of pages. So that no other page signs a person in as somebody else.
 */
export function mustBeOwnSignIn(headers: Headers, own: OwnAddresses): void {
  mustBeOwnHost(headers, own);
  if (saysWhereFrom(headers)) mustBeOwnPage(headers, own);
}

/**
 * Throws FORBIDDEN unless a form that needs no session was sent from a page of ours, or by what is no browser. Such a
 * page has no script, so that it cannot set `X-Fleetwatch`.
 */
export function mustBeOwnForm(headers: Headers, own: OwnAddresses): void {
  mustBeOwnHost(headers, own);
  const { host = '', origin } = headers;
  const site = headers['sec-fetch-site'];
  if ((site === undefined || site === 'same-origin') && (origin === undefined || isOwnOrigin(origin, host, own)))
    return;
  throw new AppError(
    'FORBIDDEN',
    'This came from a page of another site. Open the link itself, and use the button there.',
  );
}

/** Every browser sends one of the two with all that is no GET. */
const saysWhereFrom = ({ 'sec-fetch-site': site, origin }: Headers): boolean =>
  site !== undefined || origin !== undefined;

function mustBeOwnHost({ host = '', origin }: Headers, own: OwnAddresses): void {
  if (!isOwnHost(host, own)) throw notOurs(origin ?? `http://${host}`);
}

function mustBeOwnPage({ host = '', origin, ...headers }: Headers, own: OwnAddresses): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw notFromHere();
  if (origin !== undefined && !isOwnOrigin(origin, host, own))
    throw site === undefined ? notFromHere() : notOurs(origin);
  if (headers['x-fleetwatch'] !== 'console') throw notFromHere();
}

const notFromHere = (): AppError =>
  new AppError(
    'FORBIDDEN',
    'A session is for pages of this service alone: send "X-Fleetwatch: console" from a page of the same origin, or use ' +
      'an API key.',
  );
