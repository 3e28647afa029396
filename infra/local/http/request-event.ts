import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';

/** Converts a request to the format of API Gateway (payload format 2.0). @param address of the client */
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

/** Moves cookies out of the headers, as API Gateway does. */
function withoutCookies(all: ApiEvent['headers']): Pick<ApiEvent, 'headers' | 'cookies'> {
  if (all.cookie === undefined) return { headers: all };
  const { cookie, ...headers } = all;
  return { headers, cookies: cookie.split(/; */).filter(Boolean) };
}

export const pathOf = (request: IncomingMessage): string => targetOf(request.url!).split('?', 1)[0]!;

/** Returns path and query of a request line, also of an absolute URL (as to a proxy) or `*`. */
function targetOf(url: string): string {
  if (url.startsWith('/')) return url;
  const rest = /^https?:\/\/[^/?]*(.*)$/i.exec(url)?.[1];
  return rest?.startsWith('/') ? rest : `/${rest ?? ''}`;
}

/** Returns the domain of STATUS_DOMAINS that Host names, if any. */
export function statusDomainOf({ headers: { host } }: IncomingMessage, domains: readonly string[]): string | undefined {
  const name = host?.toLowerCase().replace(/\.?(?::\d*)?$/, '');
  return domains.find((domain) => domain === name);
}

/** Whether Host is a valid host or absent (RFC 9112, 3.2). */
export const hasValidHost = ({ headers: { host } }: IncomingMessage): boolean =>
  !host || URL.canParse(`https://${host}`);
