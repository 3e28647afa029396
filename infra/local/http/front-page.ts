import type { IncomingMessage } from 'node:http';
import type { ApiResult } from '#lib/platform/http/api-event.ts';

/** Whether somebody has opened the bare address, as in a browser. */
export const isFrontPage = ({ method, url }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && /^\/(?:\?|$)/.test(url ?? '');

/** What is told of a service that has no pages: where to go on, without a key. */
export const frontPage = (): ApiResult => ({
  statusCode: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: `Fleetwatch runs here. It is an API; it has no pages to click through.

  /v1/openapi.json   every endpoint, for programs such as Swagger UI
  /v1/health         whether the service itself works
  /v1/status         the state of everything, with a key:

  curl -H "Authorization: Bearer <API_KEY>" <this address>/v1/status

README.md, docs/REFERENCE.md and docs/how-to say the rest.
`,
});
