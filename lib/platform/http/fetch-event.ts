import { bodyBytes } from '#lib/platform/net/body-bytes.ts';
import type { ApiEvent, ApiResult } from './api-event.ts';

/**
 * A request as API Gateway and function URLs hand it over, as the web's own kind. Its id travels as `x-request-id`. Its
 * body is read when it is asked for; reading one of more than `most` bytes throws PAYLOAD_TOO_LARGE.
 */
export function requestOf(event: ApiEvent, most: number, signal?: AbortSignal): Request {
  const { http, domainName, requestId } = event.requestContext;
  const query = event.rawQueryString === '' ? '' : `?${event.rawQueryString}`;
  const headers = new Headers();
  for (const [name, value] of Object.entries(event.headers)) if (value !== undefined) headers.set(name, value);
  headers.set('x-request-id', requestId);
  const hasBody = event.readBody !== undefined || (event.body !== undefined && event.body !== '');
  return new Request(`https://${domainName ?? 'localhost'}${event.rawPath}${query}`, {
    method: http.method,
    headers,
    ...(hasBody && http.method !== 'GET' && http.method !== 'HEAD' && { body: streamOf(event, most), duplex: 'half' }),
    ...(signal && { signal }),
  });
}

/** Nothing is asked of it before somebody reads. */
const streamOf = (event: ApiEvent, most: number): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      async pull(controller) {
        controller.enqueue(await bodyBytes(event, most));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );

/** A whole answer as API Gateway wants it. */
export async function resultOf(response: Response, requestId: string): Promise<ApiResult> {
  return {
    statusCode: response.status,
    headers: { ...Object.fromEntries(response.headers), 'x-request-id': requestId },
    body: await response.text(),
  };
}
