import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { CONSOLE_HEADERS } from '#infra/headers.ts';
import { errorBody } from '#lib/platform/errors.ts';
import type { ApiResult } from '#lib/platform/http/api-event.ts';
import { isOwnHost, notOurs, type OwnAddresses } from '#lib/platform/http/own-address.ts';
import { pathOf } from './request-event.ts';

/** The files of the page, by their paths; read when somebody opens it. */
const FILES: Readonly<Record<string, { name: string; type: string }>> = {
  '/': { name: 'index.html', type: 'text/html' },
  '/page.js': { name: 'page.js', type: 'text/javascript' },
  '/page.css': { name: 'page.css', type: 'text/css' },
};

/**
 * What the bare address of a single machine answers: a page to a browser, and a text to whatever else asks. Undefined
 * for all that is not the page's. Under a name that is not ours a browser gets nothing
 * (lib/platform/http/own-address.ts).
 */
export function frontPage(request: IncomingMessage, own: OwnAddresses): ApiResult | undefined {
  const { method, headers } = request;
  const path = pathOf(request);
  const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  if (!file || (method !== 'GET' && method !== 'HEAD')) return undefined;
  if (path === '/' && !headers.accept?.includes('text/html')) return { statusCode: 200, headers: PLAIN, body: TEXT };
  if (!isOwnHost(headers.host ?? '', own)) {
    const error = notOurs(`http://${headers.host}`);
    const type = { 'content-type': 'application/json; charset=utf-8' };
    return { statusCode: error.status, headers: type, body: JSON.stringify(errorBody(error)) };
  }
  return {
    statusCode: 200,
    headers: {
      'content-type': `${file.type}; charset=utf-8`,
      ...CONSOLE_HEADERS,
      'cache-control': 'no-cache',
    },
    body: readFileSync(join(import.meta.dirname, '../page', file.name), 'utf8'),
  };
}

const PLAIN = { 'content-type': 'text/plain; charset=utf-8', ...CONSOLE_HEADERS };

const TEXT = `Fleetwatch runs here. Open this address in a browser to sign in, or call it:

  /v1/openapi.json   every endpoint, for programs such as Swagger UI
  /v1/health         whether the service itself works
  /v1/status         the state of everything, with a key:

  curl -H "Authorization: Bearer <API_KEY>" <this address>/v1/status

README.md, docs/REFERENCE.md and docs/how-to say the rest.
`;
