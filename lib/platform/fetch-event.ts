import type { ApiEvent, ApiResult } from './api-event.ts';

/** A request as API Gateway and function URLs hand it over, as the web's own kind. Its id travels as `x-request-id`. */
export function requestOf(event: ApiEvent, signal?: AbortSignal): Request {
  const { http, domainName, requestId } = event.requestContext;
  const query = event.rawQueryString === '' ? '' : `?${event.rawQueryString}`;
  const headers = new Headers();
  for (const [name, value] of Object.entries(event.headers)) if (value !== undefined) headers.set(name, value);
  headers.set('x-request-id', requestId);
  const body = event.body === undefined ? null : Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
  return new Request(`https://${domainName ?? 'localhost'}${event.rawPath}${query}`, {
    method: http.method,
    headers,
    ...(body && http.method !== 'GET' && http.method !== 'HEAD' && { body }),
    ...(signal && { signal }),
  });
}

/** A whole answer as API Gateway wants it. */
export async function resultOf(response: Response, requestId: string): Promise<ApiResult> {
  return {
    statusCode: response.status,
    headers: { ...Object.fromEntries(response.headers), 'x-request-id': requestId },
    body: await response.text(),
  };
}
