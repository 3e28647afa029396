import { randomUUID } from 'node:crypto';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import { CODE, errorReply, type Posted, RpcError, type RpcReply } from '#lib/mcp/json-rpc.ts';
import { answer } from './methods.ts';
import { assertHandshake, assertStateless, variantOf } from './variant.ts';

/**
 * A POST of Streamable HTTP: its answer is one JSON document, or nothing (202) where none is wanted. Throws RpcError
 * when its headers do not fit.
 */
export function answerPost(context: StateContext, headers: Headers, posted: Posted): Promise<Response> {
  return variantOf(headers, posted.body) === 'stateless'
    ? answerStateless(context, headers, posted)
    : answerHandshake(context, headers, posted);
}

const accepted = (): Response => new Response(null, { status: 202 });

/**
 * An error is 200 like any answer: some clients take every other status for the end of the session. Only what is no
 * message at all is 400.
 */
async function answerHandshake(
  context: StateContext,
  headers: Headers,
  { messages, isBatch }: Posted,
): Promise<Response> {
  try {
    assertHandshake(headers);
  } catch (error) {
    const [first] = messages;
    if (isBatch || first?.is !== 'request' || !(error instanceof RpcError)) throw error;
    return Response.json(errorReply(first.id, error), { status: 400 });
  }
  const replies: string[] = [];
  let length = 0;
  for (const message of messages) {
    if (message.is === 'silent') continue;
    const reply = length > MAX_LENGTH ? tooMuch(message) : await answer(context, 'handshake', message);
    replies.push(JSON.stringify(reply));
    length += replies.at(-1)!.length;
    if (isBatch) await othersTurn();
  }
  if (replies.length === 0) return accepted();
  const isNoMessage = !isBatch && messages[0]!.is === 'invalid';
  return new Response(isBatch ? `[${replies.join()}]` : replies[0]!, {
    status: isNoMessage ? 400 : 200,
    headers: {
      'content-type': 'application/json',
      ...(messages.some((message) => message.is === 'request' && message.method === 'initialize') && newSession()),
    },
  });
}

/** Characters of a batch's answers after which no further message of it is worked on: a gateway takes 6 MB. */
const MAX_LENGTH = 2_000_000;

const tooMuch = ({ id }: { id: string | number | null }): RpcReply => {
  const message = 'The answers of this batch are too large together; this message was not worked on. Send it alone.';
  return errorReply(id, new RpcError(CODE.INVALID_REQUEST, message));
};

/** A marker, of which nothing is kept: a client that has one is known by it when it asks for a back channel. */
const newSession = () => ({ 'mcp-session-id': randomUUID() });

const STATUS: Record<number, number> = { [CODE.METHOD_NOT_FOUND]: 404, [CODE.INTERNAL_ERROR]: 500 };

/** An error has a status of its own. */
async function answerStateless(
  context: StateContext,
  headers: Headers,
  { messages, isBatch }: Posted,
): Promise<Response> {
  if (isBatch) throw new RpcError(CODE.INVALID_REQUEST, 'There are no batches in this version of the protocol.');
  const message = messages[0]!;
  if (message.is === 'silent') return accepted();
  const reply = await checked(context, headers, message);
  return Response.json(reply, { status: 'error' in reply ? (STATUS[reply.error.code] ?? 400) : 200 });
}

async function checked(
  context: StateContext,
  headers: Headers,
  message: Parameters<typeof answer>[2],
): Promise<RpcReply> {
  try {
    if (message.is === 'request') assertStateless(headers, message);
  } catch (error) {
    if (error instanceof RpcError) return errorReply(message.id, error);
    throw error;
  }
  return answer(context, 'stateless', message);
}
