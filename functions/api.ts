import { LINK_PATH } from '#lib/alerting/notify/alert-links.ts';
import { onChange } from '#lib/alerting/on-change.ts';
import { apiRoutes } from '#lib/api-routes.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { pageGates } from '#lib/identity/sessions/session-gate.ts';
import { MAX_MCP_BODY, MCP_PATH } from '#lib/mcp/address.ts';
import { type ApiEvent, type ApiResult, requestOf, resultOf } from '#lib/platform/http/api-event.ts';
import { compressResponses } from '#lib/platform/http/compress-response.ts';
import { lazyRouter } from '#lib/platform/http/lazy-routes.ts';
import { makeRouter } from '#lib/platform/http/router.ts';
import { lazyFunction } from '#lib/platform/lazy.ts';

/**
 * Answers every endpoint but those of functions that scale by themselves (infra/topology.ts, routes). MCP is also here,
 * for gateways that cannot stream: only a GET of it needs the function that can. Links in alerts lead to pages of HTML.
 * Each is loaded with its first request.
 */
export function create(ports: Ports): (event: ApiEvent) => Promise<ApiResult> {
  const env = { ...envOf(ports), onChange };
  const answer = compressResponses(lazyRouter(apiRoutes, (rows) => makeRouter(rows, pageGates(env))));
  const mcp = lazyFunction(async () => (await import('#lib/mcp/endpoint.ts')).makeMcp(env, { streams: false }));
  const links = lazyFunction(async () => (await import('#lib/incidents/links/endpoint.ts')).linkHandler(env));
  return async (event) => {
    if (event.rawPath.startsWith(LINK_PATH)) return links(event);
    if (event.rawPath !== MCP_PATH) return answer(event);
    const { http, requestId } = event.requestContext;
    return resultOf(await mcp(requestOf(event, MAX_MCP_BODY), http.sourceIp), requestId);
  };
}
