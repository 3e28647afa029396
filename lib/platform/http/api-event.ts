import { AppError } from '#lib/platform/errors.ts';

/** The part of an API Gateway HTTP API event (payload format 2.0) that the service reads. */
export type ApiEvent = {
  rawPath: string;
  rawQueryString: string;
  headers: Record<string, string | undefined>;
  /** One `name=value` per cookie; API Gateway removes them from the headers. */
  cookies?: string[];
  body?: string | undefined;
  isBase64Encoded: boolean;
  /**
   * Set instead of `body` if the host has not read it. Returns undefined for a body over `maxBytes`; with `cut`, its
   * first `maxBytes`, without waiting for the rest. Throws RATE_LIMITED if the bodies being received use too much
   * memory, VALIDATION_ERROR if the body is incomplete.
   */
  readBody?: (maxBytes: number, cut?: 'cut') => Promise<Buffer | undefined>;
  requestContext: {
    requestId: string;
    domainName?: string;
    http: { method: string; path: string; sourceIp?: string };
  };
};

/** Result for API Gateway. Each cookie becomes a Set-Cookie header. */
export type ApiResult = {
  statusCode: number;
  headers: Record<string, string>;
  cookies?: string[];
  body: string;
  isBase64Encoded?: boolean;
};

/** Returns the cookies, which API Gateway passes apart from the headers (payload format 2.0), unlike other hosts. */
export const cookiesOf = ({ cookies, headers }: ApiEvent): string[] =>
  cookies ?? (headers.cookie ?? '').split(/; */).filter(Boolean);

/** Headers of responses to pushes, and part of API_HEADERS: no storage, no content sniffing. */
export const PUSH_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

/** Headers of all API responses except those to pushes: pushes are many, and a browser cannot use their responses. */
export const API_HEADERS = {
  ...PUSH_HEADERS,
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Whether the client has the response with this tag, ignoring weakness (RFC 9110, 13.1.2). */
export function isCurrent({ 'if-none-match': tags = '' }: ApiEvent['headers'], etag: string): boolean {
  const strong = (tag: string) => tag.trim().replace(/^W\//, '');
  return tags === '*' || tags.split(',').some((tag) => strong(tag) === strong(etag));
}

/** Returns the body of a request. Throws PAYLOAD_TOO_LARGE over `maxBytes`, and the errors of `event.readBody`. */
export async function bodyBytes(event: ApiEvent, maxBytes: number): Promise<Buffer> {
  const bytes = event.readBody ? await event.readBody(maxBytes) : receivedBody(event);
  if (bytes && bytes.length <= maxBytes) return bytes;
  throw new AppError('PAYLOAD_TOO_LARGE', `The body must have at most ${maxBytes} bytes.`);
}

/** Returns the first `maxBytes` of the body without reading the rest. Throws the errors of `event.readBody`. */
export async function firstBytes(event: ApiEvent, maxBytes: number): Promise<Buffer> {
  const bytes = event.readBody ? await event.readBody(maxBytes, 'cut') : receivedBody(event);
  return (bytes ?? Buffer.alloc(0)).subarray(0, maxBytes);
}

const receivedBody = ({ body, isBase64Encoded }: ApiEvent): Buffer =>
  Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');

/** Converts an event to a web Request with `x-request-id`. A body over `maxBytes` throws PAYLOAD_TOO_LARGE. */
export function requestOf(event: ApiEvent, maxBytes: number, signal?: AbortSignal): Request {
  const { http, domainName, requestId } = event.requestContext;
  const query = event.rawQueryString === '' ? '' : `?${event.rawQueryString}`;
  const headers = new Headers();
  for (const [name, value] of Object.entries(event.headers)) if (value !== undefined) headers.set(name, value);
  headers.set('x-request-id', requestId);
  const hasBody = event.readBody !== undefined || (event.body !== undefined && event.body !== '');
  return new Request(`https://${domainName ?? 'localhost'}${event.rawPath}${query}`, {
    method: http.method,
    headers,
    ...(hasBody &&
      http.method !== 'GET' &&
      http.method !== 'HEAD' && { body: streamOf(event, maxBytes), duplex: 'half' }),
    ...(signal && { signal }),
  });
}

const streamOf = (event: ApiEvent, maxBytes: number): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      async pull(controller) {
        controller.enqueue(await bodyBytes(event, maxBytes));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );

export async function resultOf(response: Response, requestId: string): Promise<ApiResult> {
  return {
    statusCode: response.status,
    headers: { ...Object.fromEntries(response.headers), 'x-request-id': requestId },
    body: await response.text(),
  };
}
