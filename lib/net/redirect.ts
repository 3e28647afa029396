import { NetError } from './net.ts';

/** One request as it goes out; a redirect makes the next of it. */
export type Hop = { url: URL; method: string; headers: Record<string, string>; body: string | undefined };

/** What of a response says whether it redirects. */
type Redirecting = { status: number; headers: { location?: string | undefined } };

export const isRedirect = (status: number): boolean =>
  status === 301 || status === 302 || status === 303 || status === 307 || status === 308;

/**
 * The request that a redirect asks for (RFC 9110, Fetch); undefined when the answer is none. Headers and body are
 * secrets of the origin they were meant for, whatever their names.
 */
export function redirected(hop: Hop, { status, headers: { location } }: Redirecting): Hop | undefined {
  if (!isRedirect(status) || location === undefined) return undefined;
  const url = URL.parse(location, hop.url.href);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new NetError('redirect', 'redirected to something that is no http or https URL', { answered: true });
  }
  const toGet = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST';
  const leaves = leavesOrigin(hop.url, url);
  if (leaves && !toGet && hop.body) {
    const message = `redirected to ${shown(url)}, another origin, which is not sent the body: put the final address into the URL`;
    throw new NetError('redirect', message, { answered: true });
  }
  const dropped = (name: string) => (leaves && !HARMLESS.test(name)) || (toGet && name.startsWith('content-'));
  return {
    url,
    method: toGet ? 'GET' : hop.method,
    headers: Object.fromEntries(Object.entries(hop.headers).filter(([name]) => !dropped(name.toLowerCase()))),
    body: toGet ? undefined : hop.body,
  };
}

/** Whether a redirect leads to another origin. From http to https of the same host does not count. */
export const leavesOrigin = (from: URL, to: URL): boolean =>
  from.origin !== to.origin && !(to.protocol === 'https:' && to.origin === from.origin.replace(/^http:/, 'https:'));

/** What any origin may be told. */
const HARMLESS = /^(accept(-.+)?|user-agent|cache-control)$/;

/** Query strings may hold secrets. */
export const shown = (url: URL): string => url.origin + url.pathname;
