import { onChange } from '#lib/alerting/on-change.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { MAX_MCP_BODY } from '#lib/mcp/address.ts';
import { makeMcp } from '#lib/mcp/endpoint.ts';
import { type ApiEvent, requestOf } from '#lib/platform/http/api-event.ts';

/** MCP at an address that streams: the answer to a GET goes on for minutes, until `signal` aborts or its life ends. */
export function create(ports: Ports): (event: ApiEvent, context?: { signal?: AbortSignal }) => Promise<Response> {
  const answer = makeMcp({ ...envOf(ports), onChange }, { streams: true });
  return (event, context) =>
    answer(requestOf(event, MAX_MCP_BODY, context?.signal), event.requestContext.http.sourceIp);
}
