import { gates } from '#lib/access/authenticate.ts';
import { onChange } from '#lib/alerting/on-change.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { type ApiEvent, type ApiResult, PUSH_HEADERS } from '#lib/platform/http/api-event.ts';
import { makeRouter } from '#lib/platform/http/router.ts';
import { makePingHandler, PING_PATH } from '#lib/results/pings/ping-endpoint.ts';
import { pushRoutes } from '#lib/results/pushes/push-routes.ts';

/** Accepts results, heartbeats and pings: the hot path, separate for a small bundle and isolated failures. */
export function create(ports: Ports): (event: ApiEvent) => Promise<ApiResult> {
  const env = { ...envOf(ports), onChange };
  const pushes = makeRouter(pushRoutes, gates(env), PUSH_HEADERS);
  const pings = makePingHandler(env);
  return (event) => (event.rawPath.startsWith(PING_PATH) ? pings(event) : pushes(event));
}
