import type { IncomingMessage } from 'node:http';
import { ALLOWED_HEADERS, ALLOWED_METHODS, EXPOSED_HEADERS } from '#infra/cors.ts';
import { MCP_PATH } from '#lib/mcp/address.ts';
import { isAllowedOrigin } from '#lib/mcp/protocol/origin.ts';
import { PING_PATH } from '#lib/results/pings/ping-endpoint.ts';
import { pathOf } from './request-event.ts';

/** Settings that allow origins to read responses. */
export type OriginSettings = Parameters<typeof isAllowedOrigin>[2];

/** Whether a request is a CORS preflight. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/** Returns CORS headers, never with credentials. @param settings `*` means any origin, except for MCP */
export function corsOf(request: IncomingMessage, settings: OriginSettings): Record<string, string> {
  const origins = settings.ALLOWED_ORIGINS;
  const { origin, host } = request.headers;
  if (origin === undefined) return {};
  if (pathOf(request) === MCP_PATH) {
    const own = URL.parse(`https://${host || 'localhost'}`);
    return own && isAllowedOrigin(origin, own.host, settings) ? readableBy(origin) : {};
  }
  if (origins.includes('*') || pathOf(request).startsWith(PING_PATH)) return readableBy('*');
  return origins.includes(origin) ? readableBy(origin) : {};
}

const readableBy = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': EXPOSED_HEADERS.join(','),
  ...(origin !== '*' && { vary: 'origin' }),
});

export function addCors(headers: Record<string, string>, request: IncomingMessage, settings: OriginSettings): void {
  const more = corsOf(request, settings);
  const vary = [headers.vary, more.vary].filter(Boolean).join(', ');
  Object.assign(headers, more, vary !== '' && { vary });
}

/** Returns the headers of the response to a preflight. */
export function preflight(request: IncomingMessage, settings: OriginSettings): Record<string, string> {
  const allowed = corsOf(request, settings);
  if (!('access-control-allow-origin' in allowed)) return {};
  return {
    ...allowed,
    'access-control-allow-methods': ALLOWED_METHODS.join(','),
    'access-control-allow-headers': ALLOWED_HEADERS.join(','),
    'access-control-max-age': '3600',
  };
}
