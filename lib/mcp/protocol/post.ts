import { randomUUID } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import { CODE, errorReply, type Posted, RpcError, type RpcReply } from '#lib/mcp/json-rpc.ts';
import { respondTo } from './methods.ts';
import { assertHandshakeVersion, assertStatelessHeaders, variantOf } from './variant.ts';

/** Responds to a POST of Streamable HTTP: one JSON document, or 202. Throws RpcError for invalid headers. */
export function respondToPost(context: StateContext, headers: Headers, posted: Posted): Promise<Response> {
  return variantOf(headers, posted.body) === 'stateless'
    ? respondStateless(context, headers, posted)
    : respondHandshake(context, headers, posted);
}

const accepted = (): Response => new Response(null, { status: 202 });

/**
 * Responds in the handshake protocol. Errors have status 200, because some clients end the session on other statuses.
 * Only an unsupported version and a single invalid message have status 400.
 */
async function respondHandshake(
  context: StateContext,
  headers: Headers,
  { messages, isBatch }: Posted,
): Promise<Response> {
  try {
    assertHandshakeVersion(headers);
  } catch (error) {
    const [first] = messages;
    if (isBatch || first?.is !== 'request' || !(error instanceof RpcError)) throw error;
    return Response.json(errorReply(first.id, error), { status: 400 });
  }
  const replies: string[] = [];
  let length = 0;
  for (const message of messages) {
    if (message.is === 'silent') continue;
    const reply = length > MAX_RESPONSE_CHARS ? batchTooLarge(message) : await respondTo(context, 'handshake', message);
    replies.push(JSON.stringify(reply));
    length += replies.at(-1)!.length;
    if (isBatch) await yieldToEventLoop();
  }
  if (replies.length === 0) return accepted();
  const isInvalid = !isBatch && messages[0]!.is === 'invalid';
  return new Response(isBatch ? `[${replies.join()}]` : replies[0]!, {
    status: isInvalid ? 400 : 200,
    headers: {
      'content-type': 'application/json',
      ...(messages.some((message) => message.is === 'request' && message.method === 'initialize') && sessionHeader()),
    },
  });
}

/** Characters of responses after which the other messages of a batch are rejected: a function can return 6 MB. */
const MAX_RESPONSE_CHARS = 2_000_000;

const batchTooLarge = ({ id }: { id: string | number | null }): RpcReply => {
  const message = 'The responses of this batch are too large; this message was not processed. Send it separately.';
  return errorReply(id, new RpcError(CODE.INVALID_REQUEST, message));
};

/** Returns the header with a session id, which is not stored. A GET with it does not open a stream of 2024-11-05. */
const sessionHeader = () => ({ 'mcp-session-id': randomUUID() });

const STATUS: Record<number, number> = { [CODE.METHOD_NOT_FOUND]: 404, [CODE.INTERNAL_ERROR]: 500 };

async function respondStateless(
  context: StateContext,
  headers: Headers,
  { messages, isBatch }: Posted,
): Promise<Response> {
  if (isBatch)
    throw new RpcError(CODE.INVALID_REQUEST, 'This protocol version has no batches. Send each message separately.');
  const message = messages[0]!;
  if (message.is === 'silent') return accepted();
  const reply = await statelessReply(context, headers, message);
  return Response.json(reply, { status: 'error' in reply ? (STATUS[reply.error.code] ?? 400) : 200 });
}

async function statelessReply(
  context: StateContext,
  headers: Headers,
  message: Parameters<typeof respondTo>[2],
): Promise<RpcReply> {
  try {
    if (message.is === 'request') assertStatelessHeaders(headers, message);
  } catch (error) {
    if (error instanceof RpcError) return errorReply(message.id, error);
    throw error;
  }
  return respondTo(context, 'stateless', message);
}
