import { randomUUID } from 'node:crypto';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Context } from '#lib/access/context.ts';
import type { Posted } from '#lib/mcp/protocol/json-rpc.ts';
import { answer } from '#lib/mcp/protocol/methods.ts';
import { openStream, putReply, reserveReply } from './reply-queue.ts';
import { eventsOf, type Wakeups } from './stream-events.ts';

/**
 * Answers a GET with a stream of server-sent events: the address to POST to, and then every answer to what is posted
 * there. Throws RATE_LIMITED. It ends when `request.signal` aborts, as soon as nothing is awaited.
 */
export async function answerStream(context: Context, request: Request, wakeups: Wakeups): Promise<Response> {
  const session = randomUUID();
  await openStream(context, session);
  const endpoint = `${new URL(request.url).pathname}?sessionId=${session}`;
  return new Response(ReadableStream.from(encoded(eventsOf(context, request, { session, endpoint }, wakeups))), {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}

/**
 * Takes what is posted for an open stream: 202 as soon as the answers lie in its mailbox. Throws NOT_FOUND when it
 * closes meanwhile.
 */
export async function takeMessages(
  context: Context,
  session: string,
  { messages }: Posted,
  wakeups: Wakeups,
): Promise<Response> {
  for (const message of messages) {
    if (message.is === 'silent') continue;
    const replyPart = await reserveReply(context, session);
    await putReply(context, session, replyPart, await answer(context, 'stream', message));
    wakeups.get(session)?.();
    await othersTurn();
  }
  return new Response(null, { status: 202 });
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}
