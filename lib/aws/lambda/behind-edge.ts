import { createHash, timingSafeEqual } from 'node:crypto';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';

/**
 * What CloudFront says of a request (infra/aws/edge): from where it comes and which host was asked for, both written
 * over whatever the client sent, and the secret that only CloudFront knows.
 */
export const EDGE_HEADERS = {
  address: 'x-fleetwatch-address',
  host: 'x-fleetwatch-host',
  secret: 'x-fleetwatch-edge',
} as const;

/**
 * A function that sees requests as they came to CloudFront: their client's address, and the host that was asked for. A
 * request without the secret came past it, and is as API Gateway says. The headers themselves are seen by nobody.
 * @param secret empty where there is no CloudFront
 */
export const behindEdge =
  <Rest extends unknown[], Answer>(
    work: (event: ApiEvent, ...rest: Rest) => Answer,
    secret: string,
  ): ((event: ApiEvent, ...rest: Rest) => Answer) =>
  (event, ...rest) =>
    work(asAsked(event, secret), ...rest);

function asAsked(event: ApiEvent, secret: string): ApiEvent {
  const { requestContext } = event;
  const {
    [EDGE_HEADERS.address]: sourceIp,
    [EDGE_HEADERS.host]: host,
    [EDGE_HEADERS.secret]: given,
    ...headers
  } = event.headers;
  if (secret === '' || given === undefined || !isSame(given, secret)) return { ...event, headers };
  const http = { ...requestContext.http, ...(sourceIp && { sourceIp }) };
  return {
    ...event,
    headers: { ...headers, ...(host && { host }) },
    requestContext: { ...requestContext, http, ...(host && { domainName: host }) },
  };
}

/** Takes the same time whatever was given. */
const isSame = (given: string, secret: string): boolean => timingSafeEqual(digest(given), digest(secret));
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
