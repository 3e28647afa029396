import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '#infra/topology.ts';
import { LINK_PATH } from '#lib/alerting/notify/alert-links.ts';
import { allRoutes } from '#lib/all-routes.ts';
import { EDGE_HEADERS } from '#lib/aws/lambda/behind-edge.ts';
import { FORWARDED_AUTHORIZATION } from '#lib/aws/lambda/streaming-lambda.ts';
import { SECURE_COOKIE } from '#lib/identity/sessions/same-origin.ts';
import { API_HEADERS } from '#lib/platform/http/api-event.ts';
import { PING_PATH } from '#lib/results/pings/ping-endpoint.ts';

const SOURCE = readFileSync(join(import.meta.dirname, 'viewer-request.js'), 'utf8');
const PLACE = 'const DATA = null;';

/**
 * The code of the CloudFront Function, viewer-request.js with its data: what is open without a key comes from the rows
 * of the API, and from the routes of the console; a ping and a link in an alert
 * have their secret in their path.
 * @param api id of the origin that has all but the streams
 * @param streamed paths whose GET stays with the function that streams
 * @param origins of pages that may read an answer, `*` alone for any
 */
export function edgeCode({ api, streamed, origins }: { api: string; streamed: string[]; origins: string[] }): string {
  const open = [
    ...allRoutes.filter(({ access }) => access === 'open'),
    ...routes.filter((route) => route.function === 'console'),
  ].map(({ method, path }) => ({ method, path: path.split('/') }));
  const { address, host } = EDGE_HEADERS;
  const data = {
    open,
    open_below: ['/.well-known/', PING_PATH, LINK_PATH],
    session_cookie: SECURE_COOKIE,
    origins,
    always: API_HEADERS,
    told: { address, host },
    streamed,
    api,
    forwarded_authorization: FORWARDED_AUTHORIZATION,
  };
  return SOURCE.replace(PLACE, () => `const DATA = ${JSON.stringify(data)};`);
}
