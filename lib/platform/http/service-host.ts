import { isIP } from 'node:net';
import { AppError } from '#lib/platform/errors.ts';

// At which addresses a browser may use this service with what it holds itself: a cookie, a passkey. Whoever owns a name
// can point it at any address, ours too, and so bring a browser here under it (DNS rebinding); a host without a dot, or
// one that the operator names, nobody else can point.

/** PUBLIC_URL and ALLOWED_HOSTS. */
export type OwnAddresses = { PUBLIC_URL: string; ALLOWED_HOSTS: readonly string[] };

/** The address of a request, by its headers (names in lower case). */
type Headers = { host?: string | undefined; origin?: string | undefined };

/** Nothing but a host: URLs have more. */
const IS_HOST = /^[^/?#@\\\s]+$/;

/** Whether the host of a request (`Host`, with its port or without) is one of ours. */
export function isServiceHost(host: string, own: OwnAddresses): boolean {
  const url = IS_HOST.test(host) ? URL.parse(`http://${host}`) : null;
  return url !== null && (isOwnName(url.hostname, own) || url.host === hostOf(own));
}

function isOwnName(name: string, own: OwnAddresses): boolean {
  return (
    isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 ||
    !name.includes('.') ||
    name.endsWith('.localhost') ||
    name === URL.parse(own.PUBLIC_URL)?.hostname ||
    own.ALLOWED_HOSTS.some((one) => one.toLowerCase() === name)
  );
}

const hostOf = ({ PUBLIC_URL }: OwnAddresses): string | undefined => URL.parse(PUBLIC_URL)?.host;

/** Whether pages of `origin` are ours: that of PUBLIC_URL, or one with the very host and port of the request. */
export function isServiceOrigin(origin: string, host: string, own: OwnAddresses): boolean {
  if (own.PUBLIC_URL !== '' && origin === own.PUBLIC_URL) return true;
  const page = URL.parse(origin);
  const here = page && /^https?:$/.test(page.protocol) && URL.parse(`${page.protocol}//${host}`);
  return !!here && page.origin === origin && here.host === page.host && isServiceHost(host, own);
}

/**
 * The origin under which a browser has this service: of the page that asks; where none is named, PUBLIC_URL if the
 * request came to its host, else plain http at the host of the request. Throws FORBIDDEN for one that is not ours.
 */
export function serviceOriginOf({ host = '', origin }: Headers, own: OwnAddresses): URL {
  if (origin !== undefined) {
    if (isServiceOrigin(origin, host, own)) return new URL(origin);
    throw unknownHostError(origin);
  }
  if (own.PUBLIC_URL !== '' && host.toLowerCase() === hostOf(own)) return new URL(own.PUBLIC_URL);
  if (isServiceHost(host, own)) return new URL(`http://${host}`);
  throw unknownHostError(`http://${host}`);
}

const MAX_SHOWN = 300;

/** What whoever comes from another address is told, with the remedy of the operator. */
export function unknownHostError(origin: string): AppError {
  if (origin === 'http://') return new AppError('FORBIDDEN', 'Send the header Host: a browser has no session without.');
  const shown = origin.slice(0, MAX_SHOWN);
  return new AppError('FORBIDDEN', `${shown} is not an address of this service. Set PUBLIC_URL=${shown}.`);
}
