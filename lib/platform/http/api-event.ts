import { AppError } from '#lib/platform/errors.ts';

/** The part of an API Gateway HTTP API event (payload format 2.0) that the service reads. */
export type ApiEvent = {
  rawPath: string;
  rawQueryString: string;
  headers: Record<string, string | undefined>;
  /** `name=value` each; absent where none came. They are not in the headers. */
  cookies?: string[];
  body?: string | undefined;
  isBase64Encoded: boolean;
  /**
   * In place of `body` where a host has not yet read it: nothing is kept of a body before somebody wants it. Of one of
   * more than `most` bytes it answers undefined, or with `cut` the first of them without waiting for the rest. Throws
   * RATE_LIMITED when too much is being received, VALIDATION_ERROR when it does not arrive whole.
   */
  readBody?: (most: number, cut?: 'cut') => Promise<Buffer | undefined>;
  requestContext: {
    requestId: string;
    domainName?: string;
    http: { method: string; path: string; sourceIp?: string };
  };
};

/** What a function answers to API Gateway. Each cookie becomes a header Set-Cookie. */
export type ApiResult = {
  statusCode: number;
  headers: Record<string, string>;
  cookies?: string[];
  body: string;
  /** The body stands for bytes: whoever writes the answer out decodes it. */
  isBase64Encoded?: boolean;
};

/** API Gateway hands them over apart from the headers, one each (payload format 2.0); what stands in for it may not. */
export const cookiesOf = ({ cookies, headers }: ApiEvent): string[] =>
  cookies ?? (headers.cookie ?? '').split(/; */).filter(Boolean);

/** With every answer of the API: it is stored nowhere, and is what its content type says. */
export const PUSH_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

/** With all but answers to pushes, of which there are many: a page that opens one can do nothing with it. */
export const API_HEADERS = {
  ...PUSH_HEADERS,
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
} as const;

/**
 * The body of a request, read now if it was not yet. Throws PAYLOAD_TOO_LARGE over `most` bytes, and what
 * `event.readBody` throws.
 */
export async function bodyBytes(event: ApiEvent, most: number): Promise<Buffer> {
  const bytes = event.readBody ? await event.readBody(most) : given(event);
  if (bytes && bytes.length <= most) return bytes;
  throw new AppError('PAYLOAD_TOO_LARGE', `The body has more than ${most} bytes.`);
}

/** The first `most` bytes of the body of a request; the rest is never read. Throws what `event.readBody` does. */
export async function firstBytes(event: ApiEvent, most: number): Promise<Buffer> {
  const bytes = event.readBody ? await event.readBody(most, 'cut') : given(event);
  return (bytes ?? Buffer.alloc(0)).subarray(0, most);
}

const given = ({ body, isBase64Encoded }: ApiEvent): Buffer =>
  Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');

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
