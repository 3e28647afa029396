import { randomUUID } from 'node:crypto';
import { admit } from '#lib/access/authenticate.ts';
import { spend } from '#lib/access/rate-gate.ts';
import type { StateContext, StateEnv } from '#lib/checks/state/on-change.ts';
import { assertAllowedOrigin } from '#lib/mcp/protocol/origin.ts';
import { respondToPost } from '#lib/mcp/protocol/post.ts';
import { opensStream, sseTransport } from '#lib/mcp/sse/stream.ts';
import { AppError, errorBody } from '#lib/platform/errors.ts';
import { API_HEADERS } from '#lib/platform/http/api-event.ts';
import { assertAllowed } from '#lib/platform/http/assert-allowed.ts';
import { loggedError } from '#lib/platform/http/router.ts';
import { MAX_MCP_BODY } from './address.ts';
import { errorReply, type Posted, RpcError, readPosted } from './json-rpc.ts';

/** Creates the handler of all variants of MCP, which never rejects. `host.streams`: whether a GET can open a stream. */
export function makeMcp(
  env: StateEnv,
  host: { streams: boolean },
): (request: Request, address?: string) => Promise<Response> {
  const { ports } = env;
  const streams = sseTransport();

  return async (request, address = '') => {
    const rateHeaders: Record<string, string> = {};
    const response = await respond(request, address, rateHeaders).catch((error) =>
      error instanceof RpcError
        ? Response.json(errorReply(null, error), { status: 400 })
        : errorResponse(request, error),
    );
    for (const [name, value] of Object.entries({ ...API_HEADERS, ...rateHeaders })) {
      // A stream sets its own cache headers.
      if (!response.headers.has(name)) response.headers.set(name, value);
    }
    return response;
  };

  async function respond(request: Request, address: string, rateHeaders: Record<string, string>): Promise<Response> {
    assertAllowedOrigin(request, ports.settings);
    const context = await admitCaller(request, address);
    Object.assign(rateHeaders, await spend(context, 'mcp'));
    if (request.method !== 'GET' && request.method !== 'POST') throw methodNotAllowed(request.method, 'GET, POST');
    if (context.caller.is_read_only) {
      throw new AppError(
        'READ_ONLY',
        'This key is read-only and cannot use MCP. For tools that only read data, create a key with the scopes mcp and read.',
      );
    }
    assertAllowed(context.caller, 'mcp');
    if (request.method === 'GET') {
      if (!host.streams || !opensStream(request.headers)) throw methodNotAllowed('GET', 'POST');
      return streams.open(context, request);
    }
    const body = await readBody(request);
    const session = new URL(request.url).searchParams.get('sessionId');
    if (session !== null) await streams.requireStream(context, session);
    const posted = readPosted(body);
    await spendForBatch(context, posted, rateHeaders);
    return session === null
      ? respondToPost(context, request.headers, posted)
      : streams.accept(context, session, posted);
  }

  async function admitCaller({ headers }: Request, address: string): Promise<StateContext> {
    const request_id = headers.get('x-request-id') ?? '';
    const context = await admit(env, { headers: Object.fromEntries(headers), address, request_id });
    return { ...context, origin: { ...context.origin, via: 'mcp' } };
  }

  function errorResponse(request: Request, error: unknown): Response {
    const requestId = request.headers.get('x-request-id') ?? randomUUID();
    const shown = loggedError(ports.log, error, {
      request_id: requestId,
      method: request.method,
      path: new URL(request.url).pathname,
      headers: Object.fromEntries(request.headers),
    });
    return Response.json(errorBody(shown, requestId), {
      status: shown.status,
      headers: { ...shown.headers, ...(shown.status === 401 && challenge(request)) },
    });
  }
}

// No resource_metadata: it would make clients look for OAuth.
const challenge = ({ headers }: Request) => ({
  'www-authenticate': `Bearer realm="Fleetwatch"${headers.has('authorization') ? ', error="invalid_token"' : ''}`,
});

const methodNotAllowed = (method: string, allow: string): AppError => {
  const except = method === 'GET' ? ' here, except to open a stream of MCP 2024-11-05' : '';
  return new AppError('METHOD_NOT_ALLOWED', `${method} is not allowed${except}; use ${allow}.`, {
    headers: { allow },
  });
};

async function readBody(request: Request): Promise<Uint8Array> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.length <= MAX_MCP_BODY) return bytes;
  throw new AppError('PAYLOAD_TOO_LARGE', `The body has more than ${MAX_MCP_BODY} bytes.`);
}

/** Takes a token for each message of a batch after the first, for which the request took one. Throws RATE_LIMITED. */
async function spendForBatch(
  context: StateContext,
  { messages }: Posted,
  rateHeaders: Record<string, string>,
): Promise<void> {
  if (messages.length > 1) Object.assign(rateHeaders, await spend(context, 'mcp', messages.length - 1));
}
