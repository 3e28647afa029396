import type { IncomingMessage } from 'node:http';

/** What a browser asks before it sends a request of another origin. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/** The headers of an answer to a page of `origin`; none when it is not among `origins` (`*`: any is). */
export function corsOf(origin: string, origins: readonly string[]): Record<string, string> {
  const any = origins.includes('*');
  if (!any && !origins.includes(origin)) return {};
  return {
    'access-control-allow-origin': any ? '*' : origin,
    'access-control-expose-headers': 'x-request-id,link,retry-after',
    ...(!any && { vary: 'origin' }),
  };
}

/** The headers of the answer to a preflight. */
export function preflight(origin: string, origins: readonly string[]): Record<string, string> {
  const allowed = corsOf(origin, origins);
  if (!('access-control-allow-origin' in allowed)) return {};
  return {
    ...allowed,
    'access-control-allow-methods': 'GET,POST,PUT,DELETE',
    'access-control-allow-headers': 'authorization,content-type,idempotency-key',
    'access-control-max-age': '3600',
  };
}
