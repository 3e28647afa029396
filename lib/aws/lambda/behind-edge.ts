import { createHash, timingSafeEqual } from 'node:crypto';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';

/** Headers of CloudFront (infra/aws/edge): client address, requested host, and a secret that identifies CloudFront. */
export const EDGE_HEADERS = {
  address: 'x-fleetwatch-address',
  host: 'x-fleetwatch-host',
  secret: 'x-fleetwatch-edge',
} as const;

/**
 * Wraps a function so that it sees the client's address and the host as CloudFront received them. A request without the
 * secret bypassed CloudFront and keeps the values of API Gateway. Removes the headers in both cases.
 * @param secret one or more, separated by commas; empty without CloudFront
 */
export const behindEdge =
  <Rest extends unknown[], Result>(
    work: (event: ApiEvent, ...rest: Rest) => Result,
    secret: string,
  ): ((event: ApiEvent, ...rest: Rest) => Result) =>
  (event, ...rest) =>
    work(withClientData(event, secret), ...rest);

function withClientData(event: ApiEvent, secret: string): ApiEvent {
  const { requestContext } = event;
  const {
    [EDGE_HEADERS.address]: sourceIp,
    [EDGE_HEADERS.host]: host,
    [EDGE_HEADERS.secret]: sentSecret,
    ...headers
  } = event.headers;
  if (secret === '' || sentSecret === undefined || !secret.split(',').some((one) => isSame(sentSecret, one)))
    return { ...event, headers };
  const http = { ...requestContext.http, ...(sourceIp && { sourceIp }) };
  return {
    ...event,
    headers: { ...headers, ...(host && { host }) },
    requestContext: { ...requestContext, http, ...(host && { domainName: host }) },
  };
}

const isSame = (value: string, secret: string): boolean => timingSafeEqual(digest(value), digest(secret));
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
