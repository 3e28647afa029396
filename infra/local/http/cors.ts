import type { IncomingMessage } from 'node:http';
import { ALLOWED_HEADERS, ALLOWED_METHODS, EXPOSED_HEADERS } from '#infra/cors.ts';
import { MCP_PATH } from '#lib/mcp/endpoint.ts';
import { isOwnOrigin } from '#lib/mcp/protocol/origin.ts';
import { pathOf } from './request-event.ts';

/** What a browser asks before it sends a request of another origin. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/**
 * The headers by which a page may read the answer to its request; none when it may not, or when no page asks.
 * @param origins ALLOWED_ORIGINS; `*` is any, but for MCP
 */
export function corsOf(request: IncomingMessage, origins: readonly string[]): Record<string, string> {
  const { origin, host } = request.headers;
  if (origin === undefined) return {};
  if (pathOf(request) === MCP_PATH) {
    const own = URL.parse(`https://${host || 'localhost'}`);
    return own && isOwnOrigin(origin, own.host, origins) ? readableBy(origin) : {};
  }
  if (origins.includes('*')) return readableBy('*');
  return origins.includes(origin) ? readableBy(origin) : {};
}

const readableBy = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': EXPOSED_HEADERS.join(','),
  ...(origin !== '*' && { vary: 'origin' }),
});

/** The headers of the answer to a preflight. */
export function preflight(request: IncomingMessage, origins: readonly string[]): Record<string, string> {
  const allowed = corsOf(request, origins);
  if (!('access-control-allow-origin' in allowed)) return {};
  return {
    ...allowed,
    'access-control-allow-methods': ALLOWED_METHODS.join(','),
    'access-control-allow-headers': ALLOWED_HEADERS.join(','),
    'access-control-max-age': '3600',
  };
}
