import { gates } from '#lib/access/authenticate.ts';
import { envOf } from '#lib/env.ts';
import { PING_PATH } from '#lib/health/pings/ping-answers.ts';
import { PUSH_HEADERS } from '#lib/platform/http/answer-headers.ts';
import type { ApiEvent, ApiResult } from '#lib/platform/http/api-event.ts';
import { makeRouter } from '#lib/platform/http/router.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { makePings } from '#lib/results/pings/ping-endpoint.ts';
import { pushRows } from '#lib/results/pushes/push-routes.ts';

/** Takes results, heartbeats and pings: the hot path, apart from the API so that bundle and faults stay small. */
export function create(ports: Ports): (event: ApiEvent) => Promise<ApiResult> {
  const env = envOf(ports);
  const pushes = makeRouter(pushRows, gates(env), PUSH_HEADERS);
  const pings = makePings(env);
  return (event) => (event.rawPath.startsWith(PING_PATH) ? pings(event) : pushes(event));
}
