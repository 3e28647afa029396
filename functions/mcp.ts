import { onChange } from '#lib/alerting/on-change.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { MAX_MCP_BODY } from '#lib/mcp/address.ts';
import { makeMcp } from '#lib/mcp/endpoint.ts';
import { type ApiEvent, requestOf } from '#lib/platform/http/api-event.ts';

/** Serves MCP on a streaming URL: the response to a GET can last minutes, and ends early if `signal` aborts. */
export function create(ports: Ports): (event: ApiEvent, context?: { signal?: AbortSignal }) => Promise<Response> {
  const handle = makeMcp({ ...envOf(ports), onChange }, { streams: true });
  return (event, context) =>
    handle(requestOf(event, MAX_MCP_BODY, context?.signal), event.requestContext.http.sourceIp);
}
