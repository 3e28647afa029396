import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '#infra/topology.ts';
import { LINK_PATH } from '#lib/alerting/notify/alert-links.ts';
import { CALENDAR_PATH } from '#lib/alerting/policy/rotas.ts';
import { allRoutes } from '#lib/all-routes.ts';
import { EDGE_HEADERS } from '#lib/aws/lambda/behind-edge.ts';
import { FORWARDED_AUTHORIZATION } from '#lib/aws/lambda/streaming-lambda.ts';
import { SECURE_COOKIE } from '#lib/identity/sessions/same-origin.ts';
import { API_HEADERS } from '#lib/platform/http/api-event.ts';
import { PING_PATH } from '#lib/results/pings/ping-endpoint.ts';

const SOURCE = readFileSync(join(import.meta.dirname, 'viewer-request.js'), 'utf8');
const PLACEHOLDER = 'const DATA = null;';

/**
 * Returns the CloudFront Function: viewer-request.js with its data. Routes that are open without a key come from the
 * API and the console; pings, alert links and calendars have their secret in the path.
 * @param api id of the origin of everything except streams
 * @param streamed paths whose GET goes to the streaming function
 * @param origins origins of pages that may read a response; `*` for any
 */
export function edgeCode({ api, streamed, origins }: { api: string; streamed: string[]; origins: string[] }): string {
  const open = [
    ...allRoutes.filter(({ access }) => access === 'open'),
    ...routes.filter((route) => route.function === 'console'),
  ].map(({ method, path }) => ({ method, path: path.split('/') }));
  const { address, host } = EDGE_HEADERS;
  const data = {
    open,
    open_below: ['/.well-known/', PING_PATH, LINK_PATH, CALENDAR_PATH],
    pings: PING_PATH,
    session_cookie: SECURE_COOKIE,
    origins,
    always: API_HEADERS,
    client: { address, host },
    streamed,
    api,
    forwarded_authorization: FORWARDED_AUTHORIZATION,
  };
  return SOURCE.replace(PLACEHOLDER, () => `const DATA = ${JSON.stringify(data)};`);
}
