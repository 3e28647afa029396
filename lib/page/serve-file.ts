import { brotliDecompressSync } from 'node:zlib';
import type { Ports } from '#lib/env.ts';
import { type Assets, type ConsoleFiles, DOCS_MISSING, type DocsFiles, type PackedFile } from '#lib/platform/assets.ts';
import { AppError, errorBody } from '#lib/platform/errors.ts';
import { API_HEADERS, type ApiEvent, type ApiResult, isCurrent } from '#lib/platform/http/api-event.ts';
import { loggedError } from '#lib/platform/http/router.ts';
import { isServiceHost, unknownHostError } from '#lib/platform/http/service-host.ts';
import { CONSOLE_HEADERS } from './headers.ts';

/** Returns the smallest accepted encoding, or undefined. Ignores weights except q=0 (RFC 9110, 12.5.3). */
export function encodingFor(acceptEncoding = ''): 'br' | 'gzip' | undefined {
  const parts = acceptEncoding.toLowerCase().split(',');
  const accepted = parts.filter((part) => !REFUSED.test(part)).map((part) => part.split(';', 1)[0]!.trim());
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding));
}

const REFUSED = /;\s*q=0(?:\.0*)?\s*$/;

type FilePorts = Pick<Ports, 'settings' | 'log'>;

const CACHED = { 'cache-control': 'public, max-age=31536000, immutable' };
const REVALIDATED = { 'cache-control': 'no-cache', vary: 'Accept, Accept-Encoding' };

/**
 * Handles GET and HEAD of `/`, `/assets/{file}` and the docs. `/` returns the page to browsers and a text to other
 * clients. The page is served only under a service host (lib/platform/http/service-host.ts); assets and docs are the
 * same for all hosts, and CloudFront caches assets. Never throws: if the files cannot be built, the response is 500.
 */
export const serveFiles =
  (ports: FilePorts, { console, docs }: Pick<Assets, 'console' | 'docs'>) =>
  async (event: ApiEvent): Promise<ApiResult> => {
    const { rawPath: path, headers, requestContext } = event;
    const { requestId: request_id, http } = requestContext;
    try {
      if (path === '/') return withId(await servePage(ports, console, headers), request_id);
      if (path.startsWith(DOCS_PATH)) return withId(serveDocs(await docs(), path, headers), request_id);
      const { assets } = await console();
      const name = path.slice('/assets/'.length);
      const file = Object.hasOwn(assets, name) ? assets[name] : undefined;
      if (!file)
        throw new AppError('NOT_FOUND', `${path} does not exist. A newer version may have replaced it: reload /.`);
      return fileResponse(file, headers, { ...CACHED, vary: 'Accept-Encoding' });
    } catch (error) {
      const request = { request_id, method: http.method, path, headers, source_ip: http.sourceIp };
      const visible = loggedError(ports.log, error, request);
      const response = {
        statusCode: visible.status,
        headers: { 'content-type': 'application/json; charset=utf-8', ...API_HEADERS, ...visible.headers },
        body: JSON.stringify(errorBody(visible, request_id)),
      };
      return withId(response, request_id);
    }
  };

async function servePage(
  { settings }: FilePorts,
  files: () => Promise<ConsoleFiles>,
  headers: ApiEvent['headers'],
): Promise<ApiResult> {
  if (!headers.accept?.includes('text/html')) {
    const type = { 'content-type': 'text/plain; charset=utf-8' };
    return { statusCode: 200, headers: { ...type, ...CONSOLE_HEADERS, ...REVALIDATED }, body: ROOT_TEXT };
  }
  const { host = '' } = headers;
  if (!isServiceHost(host, settings)) throw unknownHostError(`http://${host}`);
  const { page, etag } = await files();
  const caching = { ...REVALIDATED, etag };
  return isCurrent(headers, etag)
    ? { statusCode: 304, headers: { ...CONSOLE_HEADERS, ...caching }, body: '' }
    : fileResponse(page, headers, caching);
}

const DOCS_PATH = '/docs';

function serveDocs(files: DocsFiles, path: string, headers: ApiEvent['headers']): ApiResult {
  const file = Object.hasOwn(files, path) ? files[path] : undefined;
  if (!file) {
    if (headers.accept?.includes('text/html'))
      return { ...fileResponse(files[DOCS_MISSING]!, headers, REVALIDATED), statusCode: 404 };
    throw new AppError('NOT_FOUND', `${path} does not exist. ${DOCS_PATH} lists all pages.`);
  }
  const caching = { ...(file.isAsset ? CACHED : REVALIDATED), vary: 'Accept-Encoding', etag: file.etag };
  return isCurrent(headers, file.etag)
    ? { statusCode: 304, headers: { ...CONSOLE_HEADERS, ...caching }, body: '' }
    : fileResponse(file, headers, caching);
}

function fileResponse(file: PackedFile, requested: ApiEvent['headers'], more: Record<string, string>): ApiResult {
  const headers = { 'content-type': file.type, ...CONSOLE_HEADERS, ...more };
  const encoding = encodingFor(requested['accept-encoding']);
  if (!encoding)
    return { statusCode: 200, headers, body: brotliDecompressSync(Buffer.from(file.br, 'base64')).toString() };
  return {
    statusCode: 200,
    headers: { ...headers, 'content-encoding': encoding },
    body: file[encoding],
    isBase64Encoded: true,
  };
}

const withId = (result: ApiResult, request_id: string): ApiResult => ({
  ...result,
  headers: { 'x-request-id': request_id, ...result.headers },
});

const ROOT_TEXT = `Fleetwatch runs here. Open this address in a browser to sign in, or call the API:

  /docs              documentation and API reference
  /v1/openapi.json   every endpoint, for programs such as Swagger UI
  /v1/health         health of the service
  /v1/status         state of all entities, with a key:

  curl -H "Authorization: Bearer <API_KEY>" <this address>/v1/status
`;
