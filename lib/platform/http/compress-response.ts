import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ApiEvent, ApiResult } from './api-event.ts';

/** In characters. A shorter answer goes as it is: it fits a packet of the network in any form. */
const SHORT = 1024;

const packed = promisify(gzip);

/**
 * Saves what long answers to reads cost on their way: each has a weak ETag, is 304 without a body for whoever names
 * that (RFC 9110, 13.1.2), and else in gzip for whoever takes it (12.5.3). All other answers stay as they are. So do
 * those to anything but a read: what repeats a request beside a secret would give that away by its length (BREACH).
 */
export const compact =
  (answer: (event: ApiEvent) => Promise<ApiResult>) =>
  async (event: ApiEvent): Promise<ApiResult> => {
    const result = await answer(event);
    if (result.body.length <= SHORT || !isRead(event)) return result;
    const { statusCode, body } = result;
    const headers: Record<string, string> = { ...result.headers, vary: 'accept-encoding' };
    if (statusCode === 200) {
      headers.etag = etagOf(body);
      if (names(event.headers['if-none-match'], headers.etag)) {
        const { 'content-type': _ofNoBody, ...left } = headers;
        return { ...result, statusCode: 304, headers: left, body: '' };
      }
    }
    if (!takesGzip(event.headers['accept-encoding'])) return { ...result, headers };
    const bytes = await packed(body);
    return {
      ...result,
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: bytes.toString('base64'),
      isBase64Encoded: true,
    };
  };

const isRead = ({ requestContext: { http } }: ApiEvent): boolean => http.method === 'GET' || http.method === 'HEAD';

/** Weak, as it is the same whatever the encoding. */
const etagOf = (body: string): string => `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"`;

/** Whether a list of tags has this one, weak or not. */
const names = (list = '', etag: string): boolean =>
  list.split(',').some((one) => one.trim().replace(/^W\//, '') === etag.slice(2));

/** Whether gzip is among what Accept-Encoding takes: by its name, else by `*`, and not with q=0. */
function takesGzip(accepted = ''): boolean {
  const weights = new Map(
    accepted.split(',').map((part): [string, number] => {
      const [coding = '', ...params] = part.split(';').map((word) => word.trim().toLowerCase());
      const weight = params.find((param) => param.startsWith('q='));
      return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
    }),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
