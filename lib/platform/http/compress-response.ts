import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type ApiEvent, type ApiResult, isCurrent } from './api-event.ts';

/** Maximum length (characters or bytes) that is not compressed: it usually fits one network packet anyway. */
const MAX_UNCOMPRESSED = 1024;

const gzipAsync = promisify(gzip);

/**
 * Adds ETag and 304 (RFC 9110, 13.1.2) and gzip (12.5.3) to long responses of reads. Other methods stay uncompressed:
 * the compressed length of a response that repeats input next to a secret reveals the secret (BREACH).
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
      if (isCurrent(event.headers, headers.etag)) {
        const { 'content-type': _withoutBody, ...remaining } = headers;
        return { ...result, statusCode: 304, headers: remaining, body: '' };
      }
    }
    const bytes = await compressed(body, event.headers);
    if (!bytes) return { ...result, headers };
    return {
      ...result,
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: bytes.toString('base64'),
      isBase64Encoded: true,
    };
  };

const isRead = ({ requestContext: { http } }: ApiEvent): boolean => http.method === 'GET' || http.method === 'HEAD';

/** Returns the ETag of a body: weak, because it is the same for all encodings. Pure. */
export const etagOf = (body: string | Uint8Array): string => `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"`;

/** Compresses a long body with gzip; undefined for a short one, or if the client does not accept gzip. */
export const compressed = async (
  body: string | Uint8Array,
  { 'accept-encoding': accepted }: ApiEvent['headers'],
): Promise<Buffer | undefined> => (body.length > MAX_UNCOMPRESSED && takesGzip(accepted) ? gzipAsync(body) : undefined);

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
