import { randomUUID } from 'node:crypto';
import { authenticate } from '#lib/access/authenticate.ts';
import type { Keys } from '#lib/keys.ts';
import { AppError, errorBody } from '#lib/platform/errors.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { logRefusal } from '#lib/platform/refusals.ts';
import { opensStream } from './era.ts';
import { errorReply, RpcError, readPosted } from './json-rpc.ts';
import { mustBeOwnOrigin } from './origin.ts';
import { answerPost } from './post.ts';
import { answerStream, takeMessages } from './stream.ts';
import type { Bells } from './stream-events.ts';

export const MCP_PATH = '/v1/mcp';

const MAX_BODY = 256 * 1024;

/**
 * MCP in its three protocols on one address (era.ts tells them apart), as a web-standard function: whoever hosts it
 * turns its own kind of request into a Request. Never rejects.
 * @param host `streams`: whether it can answer a GET with a stream
 */
export function makeMcp(
  { ports, keys }: { ports: Ports; keys: Keys },
  host: { streams: boolean },
): (request: Request) => Promise<Response> {
  const bells: Bells = new Map();

  return async (request) => {
    try {
      return await respond(request);
    } catch (error) {
      return error instanceof RpcError
        ? Response.json(errorReply(null, error), { status: 400 })
        : refuse(request, error);
    }
  };

  async function respond(request: Request): Promise<Response> {
    mustBeOwnOrigin(request, ports.settings.ALLOWED_ORIGINS);
    const context = await authenticate(ports, keys, Object.fromEntries(request.headers));
    if (request.method !== 'GET' && request.method !== 'POST') throw notPossible(request.method, 'GET, POST');
    if (context.caller.is_read_only) {
      throw new AppError('READ_ONLY', 'This key is read-only, and MCP is not. Use a key made without is_read_only.');
    }
    if (request.method === 'GET') {
      if (!host.streams || !opensStream(request.headers)) throw notPossible('GET', 'POST');
      return answerStream(context, request, bells);
    }
    const body = await bodyOf(request);
    const session = new URL(request.url).searchParams.get('sessionId');
    return session === null
      ? answerPost(context, request.headers, readPosted(body))
      : takeMessages(context, session, body, bells);
  }

  /** Where there is no MCP message to answer: the API's own form of errors. */
  function refuse(request: Request, error: unknown): Response {
    const shown = error instanceof AppError ? error : new AppError('INTERNAL', 'A fault of ours. It was logged.');
    const requestId = request.headers.get('x-request-id') ?? randomUUID();
    const asked = { request_id: requestId, method: request.method, path: new URL(request.url).pathname };
    if (shown.status >= 500) ports.log.error('request failed', { ...asked, error });
    logRefusal(ports.log, shown, { ...asked, headers: Object.fromEntries(request.headers) });
    return Response.json(
      { ...errorBody(shown), ...(shown.code === 'INTERNAL' && { request_id: requestId }) },
      { status: shown.status, headers: { ...shown.headers, ...(shown.status === 401 && challenge(request)) } },
    );
  }
}

/** Plain Bearer: a resource_metadata here would send clients looking for OAuth. */
const challenge = ({ headers }: Request) => ({
  'www-authenticate': `Bearer realm="Fleetwatch"${headers.has('authorization') ? ', error="invalid_token"' : ''}`,
});

const notPossible = (method: string, allow: string): AppError => {
  const why = method === 'GET' ? ', but for a stream of 2024-11-05 at the address that streams' : '';
  return new AppError('METHOD_NOT_ALLOWED', `${method} is not possible here${why}; ${allow} is.`, {
    headers: { allow },
  });
};

async function bodyOf(request: Request): Promise<Uint8Array> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.length <= MAX_BODY) return bytes;
  throw new AppError('PAYLOAD_TOO_LARGE', `The body has more than ${MAX_BODY} bytes.`);
}
