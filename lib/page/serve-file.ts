import { brotliDecompressSync } from 'node:zlib';
import type { Ports } from '#lib/env.ts';
import type { ConsoleFile, ConsoleFiles } from '#lib/platform/assets.ts';
import { AppError, errorBody } from '#lib/platform/errors.ts';
import { API_HEADERS, type ApiEvent, type ApiResult } from '#lib/platform/http/api-event.ts';
import { refuse } from '#lib/platform/http/router.ts';
import { isServiceHost, unknownHostError } from '#lib/platform/http/service-host.ts';
import { CONSOLE_HEADERS } from './headers.ts';

/**
 * What of our packed forms a client takes, the smaller first; undefined where it takes neither. Whether it names one
 * counts, not how much it likes it (RFC 9110, 12.5.3).
 */
export function encodingFor(acceptEncoding = ''): 'br' | 'gzip' | undefined {
  const parts = acceptEncoding.toLowerCase().split(',');
  const taken = parts.filter((part) => !REFUSED.test(part)).map((part) => part.split(';', 1)[0]!.trim());
  return (['br', 'gzip'] as const).find((form) => taken.includes(form));
}

const REFUSED = /;\s*q=0(?:\.0*)?\s*$/;

type Own = Pick<Ports, 'settings' | 'log'>;

/** Under a name that changes with the content. */
const KEPT = { 'cache-control': 'public, max-age=31536000, immutable' };
/** Asked for again each time, and sent where it has changed. */
const ASKED_AGAIN = { 'cache-control': 'no-cache', vary: 'Accept, Accept-Encoding' };

/**
 * Answers GET and HEAD of `/` and of `/assets/{file}`. The bare address is a page to a browser and a text to whatever
 * else asks. Under a name that is not ours a browser gets no page (lib/platform/http/service-host.ts); the other files
 * are the same for everybody, and kept by CloudFront whatever the host. Throws when the files cannot be built.
 */
export const answerFiles =
  (own: Own, files: () => Promise<ConsoleFiles>) =>
  async (event: ApiEvent): Promise<ApiResult> => {
    const { rawPath: path, headers, requestContext } = event;
    const { requestId: request_id, http } = requestContext;
    try {
      if (path === '/') return withId(await answerPage(own, files, headers), request_id);
      const { assets } = await files();
      const name = path.slice('/assets/'.length);
      const file = Object.hasOwn(assets, name) ? assets[name] : undefined;
      if (!file) throw new AppError('NOT_FOUND', `There is no ${path}. A newer version has other files: load / again.`);
      return sent(file, headers, { ...KEPT, vary: 'Accept-Encoding' });
    } catch (error) {
      const request = { request_id, method: http.method, path, headers, source_ip: http.sourceIp };
      const shown = refuse(own.log, error, request);
      const answer = {
        statusCode: shown.status,
        headers: { 'content-type': 'application/json; charset=utf-8', ...API_HEADERS, ...shown.headers },
        body: JSON.stringify(errorBody(shown, request_id)),
      };
      return withId(answer, request_id);
    }
  };

async function answerPage(
  { settings }: Own,
  files: () => Promise<ConsoleFiles>,
  headers: ApiEvent['headers'],
): Promise<ApiResult> {
  if (!headers.accept?.includes('text/html')) {
    const type = { 'content-type': 'text/plain; charset=utf-8' };
    return { statusCode: 200, headers: { ...type, ...CONSOLE_HEADERS, ...ASKED_AGAIN }, body: TEXT };
  }
  const { host = '' } = headers;
  if (!isServiceHost(host, settings)) throw unknownHostError(`http://${host}`);
  const { page, etag } = await files();
  const kept = { ...ASKED_AGAIN, etag };
  return isSame(headers['if-none-match'], etag)
    ? { statusCode: 304, headers: { ...CONSOLE_HEADERS, ...kept }, body: '' }
    : sent(page, headers, kept);
}

function sent(file: ConsoleFile, asked: ApiEvent['headers'], more: Record<string, string>): ApiResult {
  const headers = { 'content-type': file.type, ...CONSOLE_HEADERS, ...more };
  const encoding = encodingFor(asked['accept-encoding']);
  if (!encoding)
    return { statusCode: 200, headers, body: brotliDecompressSync(Buffer.from(file.br, 'base64')).toString() };
  return {
    statusCode: 200,
    headers: { ...headers, 'content-encoding': encoding },
    body: file[encoding],
    isBase64Encoded: true,
  };
}

/** Whether one of the tags is this (RFC 9110, 13.1.2); what makes a tag weak does not count. */
const isSame = (given: string | undefined, etag: string): boolean =>
  given === '*' || (given ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag.replace(/^W\//, ''));

const withId = (result: ApiResult, request_id: string): ApiResult => ({
  ...result,
  headers: { 'x-request-id': request_id, ...result.headers },
});

const TEXT = `Fleetwatch runs here. Open this address in a browser to sign in, or call it:

  /v1/openapi.json   every endpoint, for programs such as Swagger UI
  /v1/health         whether the service itself works
  /v1/status         the state of everything, with a key:

  curl -H "Authorization: Bearer <API_KEY>" <this address>/v1/status

See README.md and docs/ for more.
`;
