import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ApiEvent, ApiResult } from './api-event.ts';

/** Maximum length in characters that is not compressed: such a response fits one network packet in any encoding. */
const MAX_UNCOMPRESSED = 1024;

const gzipAsync = promisify(gzip);

/**
 * Wraps a handler so that long responses to reads have a weak ETag, are 304 on a match (RFC 9110, 13.1.2), and use gzip
 * if the client accepts it (12.5.3). Other methods stay uncompressed: the length of a response that repeats input next
 * to a secret reveals the secret (BREACH).
 */
export const compressResponses =
  (handle: (event: ApiEvent) => Promise<ApiResult>) =>
  async (event: ApiEvent): Promise<ApiResult> => {
    const result = await handle(event);
    if (result.body.length <= MAX_UNCOMPRESSED || !isRead(event)) return result;
    const { statusCode, body } = result;
    const headers: Record<string, string> = { ...result.headers, vary: 'accept-encoding' };
    if (statusCode === 200) {
      headers.etag = etagOf(body);
      if (hasTag(event.headers['if-none-match'], headers.etag)) {
        const { 'content-type': _withoutBody, ...remaining } = headers;
        return { ...result, statusCode: 304, headers: remaining, body: '' };
      }
    }
    if (!takesGzip(event.headers['accept-encoding'])) return { ...result, headers };
    const bytes = await gzipAsync(body);
    return {
      ...result,
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: bytes.toString('base64'),
      isBase64Encoded: true,
    };
  };

const isRead = ({ requestContext: { http } }: ApiEvent): boolean => http.method === 'GET' || http.method === 'HEAD';

/** Weak, because it is the same for all encodings. */
const etagOf = (body: string): string => `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"`;

const hasTag = (list = '', etag: string): boolean =>
  list.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag.slice(2));

/** Whether Accept-Encoding accepts gzip: by name, else by `*`, and not with q=0. */
export function takesGzip(accepted = ''): boolean {
  const weights = new Map(
    accepted.split(',').map((part): [string, number] => {
      const [coding = '', ...params] = part.split(';').map((word) => word.trim().toLowerCase());
      const weight = params.find((param) => param.startsWith('q='));
      return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
    }),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
