import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';

/**
 * A request as API Gateway hands it over (payload format 2.0), with an id of its own, but that its body is still to be
 * read.
 * @param address of the client
 */
export function eventOf(request: IncomingMessage, address: string, readBody: ApiEvent['readBody']): ApiEvent {
  const target = targetOf(request.url!);
  const mark = target.indexOf('?');
  const path = pathOf(request);
  const { host } = request.headers;
  return {
    rawPath: path,
    rawQueryString: mark < 0 ? '' : target.slice(mark + 1),
    ...withoutCookies(request.headers as ApiEvent['headers']),
    isBase64Encoded: false,
    ...(readBody && { readBody }),
    requestContext: {
      requestId: randomUUID(),
      ...(host && { domainName: host }),
      http: { method: request.method!, path, sourceIp: address },
    },
  };
}

/** Cookies stand beside the headers, as API Gateway has them. */
function withoutCookies(all: ApiEvent['headers']): Pick<ApiEvent, 'headers' | 'cookies'> {
  if (all.cookie === undefined) return { headers: all };
  const { cookie, ...headers } = all;
  return { headers, cookies: cookie.split(/; */).filter(Boolean) };
}

export const pathOf = (request: IncomingMessage): string => targetOf(request.url!).split('?', 1)[0]!;

/** Path and query of a request line, also when it names the whole address (as to a proxy) or nothing (`*`). */
function targetOf(url: string): string {
  if (url.startsWith('/')) return url;
  const rest = /^https?:\/\/[^/?]*(.*)$/i.exec(url)?.[1];
  return rest?.startsWith('/') ? rest : `/${rest ?? ''}`;
}

/** What stands in Host must be a host, or nothing (RFC 9112, 3.2). */
export const hasValidHost = ({ headers: { host } }: IncomingMessage): boolean =>
  !host || URL.canParse(`https://${host}`);
