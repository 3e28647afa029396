import type { IncomingMessage } from 'node:http';
import { ALLOWED_HEADERS, ALLOWED_METHODS, EXPOSED_HEADERS } from '#infra/cors.ts';

/** What a browser asks before it sends a request of another origin. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/** The headers of an answer to a page of `origin`; none when it is not among `origins` (`*`: any is). */
export function corsOf(origin: string, origins: readonly string[]): Record<string, string> {
  const any = origins.includes('*');
  if (!any && !origins.includes(origin)) return {};
  return {
    'access-control-allow-origin': any ? '*' : origin,
    'access-control-expose-headers': EXPOSED_HEADERS.join(','),
    ...(!any && { vary: 'origin' }),
  };
}

/** The headers of the answer to a preflight. */
export function preflight(origin: string, origins: readonly string[]): Record<string, string> {
  const allowed = corsOf(origin, origins);
  if (!('access-control-allow-origin' in allowed)) return {};
  return {
    ...allowed,
    'access-control-allow-methods': ALLOWED_METHODS.join(','),
    'access-control-allow-headers': ALLOWED_HEADERS.join(','),
    'access-control-max-age': '3600',
  };
}
