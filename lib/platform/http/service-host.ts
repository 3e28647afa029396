import { isIP } from 'node:net';
import { AppError } from '#lib/platform/errors.ts';

// A browser can use a cookie or a passkey only under hosts that cannot be taken over by DNS rebinding, in which the
// owner of any domain points it at this service: IP addresses, names without a dot or under .localhost, and hosts that
// the operator lists or the platform proves.

export type ServiceAddresses = {
  PUBLIC_URL: string;
  ALLOWED_HOSTS: readonly string[];
  /** Whether the platform passes only requests to hosts of this service, over TLS: CloudFront and API Gateway do. */
  are_hosts_proven?: boolean;
};

type Headers = { host?: string | undefined; origin?: string | undefined };

const IS_HOST = /^[^/?#@\\\s]+$/;

/** Whether `Host` (with or without port) names this service. */
export function isServiceHost(host: string, own: ServiceAddresses): boolean {
  const url = parseHost(host);
  return url !== null && (isListed(url, own) || isProven(url, own));
}

const parseHost = (host: string): URL | null => (IS_HOST.test(host) ? URL.parse(`http://${host}`) : null);

const isListed = (url: URL, own: ServiceAddresses): boolean =>
  isServiceName(url.hostname, own) || url.host === hostOf(own);

/** Whether a host that no setting lists is proven by the platform. Browsers reach it only with https. */
const isProven = (url: URL, own: ServiceAddresses): boolean =>
  own.are_hosts_proven === true && url.port === '' && !isListed(url, own);

/** Whether pages at `host` are served only over TLS, so that their cookies are secure. */
export function isSecureHost(host: string, own: ServiceAddresses): boolean {
  const [url, publicUrl] = [parseHost(host), URL.parse(own.PUBLIC_URL)];
  return (
    url !== null && ((publicUrl?.protocol === 'https:' && publicUrl.host === host.toLowerCase()) || isProven(url, own))
  );
}

function isServiceName(name: string, own: ServiceAddresses): boolean {
  return (
    isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 ||
    !name.includes('.') ||
    name.endsWith('.localhost') ||
    name === URL.parse(own.PUBLIC_URL)?.hostname ||
    own.ALLOWED_HOSTS.some((allowed) => allowed.toLowerCase() === name)
  );
}

const hostOf = ({ PUBLIC_URL }: ServiceAddresses): string | undefined => URL.parse(PUBLIC_URL)?.host;

/** Whether pages of `origin` belong to this service: PUBLIC_URL, or the exact host and port of the request. */
export function isServiceOrigin(origin: string, host: string, own: ServiceAddresses): boolean {
  if (own.PUBLIC_URL !== '' && origin === own.PUBLIC_URL) return true;
  const page = URL.parse(origin);
  const here = page && /^https?:$/.test(page.protocol) && URL.parse(`${page.protocol}//${host}`);
  if (!here || page.origin !== origin || here.host !== page.host || !isServiceHost(host, own)) return false;
  return page.protocol === 'https:' || !isProven(here, own);
}

/** Returns the origin of this service for a browser: Origin header, PUBLIC_URL, or Host. Throws FORBIDDEN. */
export function serviceOriginOf({ host = '', origin }: Headers, own: ServiceAddresses): URL {
  if (origin !== undefined) {
    if (isServiceOrigin(origin, host, own)) return new URL(origin);
    throw unknownHostError(origin);
  }
  if (own.PUBLIC_URL !== '' && host.toLowerCase() === hostOf(own)) return new URL(own.PUBLIC_URL);
  if (isServiceHost(host, own)) return new URL(`${isSecureHost(host, own) ? 'https' : 'http'}://${host}`);
  throw unknownHostError(`http://${host}`);
}

const MAX_SHOWN = 300;

export function unknownHostError(origin: string): AppError {
  if (origin === 'http://') return new AppError('FORBIDDEN', 'Send the Host header: a session requires it.');
  const shown = origin.slice(0, MAX_SHOWN);
  return new AppError('FORBIDDEN', `${shown} is not an address of this service. Set PUBLIC_URL=${shown}.`);
}
