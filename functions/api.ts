import { LINK_PATH } from '#lib/alerting/notify/alert-links.ts';
import { onChange } from '#lib/alerting/on-change.ts';
import { CALENDAR_PATH } from '#lib/alerting/policy/rotas.ts';
import { apiRoutes } from '#lib/api-routes.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { sessionGates } from '#lib/identity/sessions/session-gate.ts';
import { MAX_MCP_BODY, MCP_PATH } from '#lib/mcp/address.ts';
import { type ApiEvent, type ApiResult, requestOf, resultOf } from '#lib/platform/http/api-event.ts';
import { compressResponses } from '#lib/platform/http/compress-response.ts';
import { lazyRouter } from '#lib/platform/http/lazy-routes.ts';
import { makeRouter } from '#lib/platform/http/router.ts';
import { lazyFunction } from '#lib/platform/lazy.ts';

/** Serves alert links, rota calendars, MCP without streams, and the remaining endpoints. Loads its parts lazily. */
export function create(ports: Ports): (event: ApiEvent) => Promise<ApiResult> {
  const env = { ...envOf(ports), onChange };
  const handle = compressResponses(lazyRouter(apiRoutes, (routes) => makeRouter(routes, sessionGates(env))));
  const mcp = lazyFunction(async () => (await import('#lib/mcp/endpoint.ts')).makeMcp(env, { streams: false }));
  const links = lazyFunction(async () => (await import('#lib/incidents/links/endpoint.ts')).linkHandler(env));
  const calendars = lazyFunction(async () =>
    (await import('#lib/alerting/configure/rota-calendar.ts')).calendarHandler(env),
  );
  return async (event) => {
    if (event.rawPath.startsWith(LINK_PATH)) return links(event);
    if (event.rawPath.startsWith(CALENDAR_PATH)) return calendars(event);
    if (event.rawPath !== MCP_PATH) return handle(event);
    const { http, requestId } = event.requestContext;
    return resultOf(await mcp(requestOf(event, MAX_MCP_BODY), http.sourceIp), requestId);
  };
}
