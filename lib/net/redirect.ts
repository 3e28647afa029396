import { NetError } from './net.ts';

/** A request; a redirect turns it into the next one. */
export type Hop = { url: URL; method: string; headers: Record<string, string>; body: string | undefined };

type Redirecting = { status: number; headers: { location?: string | undefined } };

export const isRedirect = (status: number): boolean =>
  status === 301 || status === 302 || status === 303 || status === 307 || status === 308;

/**
 * Returns the request that follows a redirect (RFC 9110, Fetch); else undefined. Another origin gets no body, and only
 * headers such as Accept. Throws NetError if the location is not http or https, or another origin would need the body.
 */
export function redirected(hop: Hop, { status, headers: { location } }: Redirecting): Hop | undefined {
  if (!isRedirect(status) || location === undefined) return undefined;
  const url = URL.parse(location, hop.url.href);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new NetError('redirect', 'redirected to an address that is not an http or https URL', { answered: true });
  }
  const toGet = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST';
  const isOtherOrigin = leavesOrigin(hop.url, url);
  if (isOtherOrigin && !toGet && hop.body) {
    const message = `redirected to ${withoutQuery(url)}, another origin, to which the body is not sent: put the final address into the URL`;
    throw new NetError('redirect', message, { answered: true });
  }
  const isDropped = (name: string) => (isOtherOrigin && !HARMLESS.test(name)) || (toGet && name.startsWith('content-'));
  return {
    url,
    method: toGet ? 'GET' : hop.method,
    headers: Object.fromEntries(Object.entries(hop.headers).filter(([name]) => !isDropped(name.toLowerCase()))),
    body: toGet ? undefined : hop.body,
  };
}

/** Whether a redirect leads to another origin, except from http to https of the same host and port or default ports. */
export const leavesOrigin = (from: URL, to: URL): boolean =>
  from.origin !== to.origin && !(to.protocol === 'https:' && to.origin === from.origin.replace(/^http:/, 'https:'));

const HARMLESS = /^(accept(-.+)?|user-agent|cache-control)$/;

/** Returns a URL without its query, which may contain secrets. */
export const withoutQuery = (url: URL): string => url.origin + url.pathname;
