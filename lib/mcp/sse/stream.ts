import { randomUUID } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import type { Posted } from '#lib/mcp/json-rpc.ts';
import { respondTo } from '#lib/mcp/protocol/methods.ts';
import { STREAM_VERSION, VERSION_HEADER } from '#lib/mcp/protocol/variant.ts';
import { openStream, putReply, requireStream, reserveReply } from './reply-queue.ts';
import { eventsOf, type Wakeups } from './stream-events.ts';

/**
 * Creates the legacy transport of MCP, HTTP+SSE of 2024-11-05, used only by endpoint.ts. To remove the transport,
 * delete this folder and its tests, `streams` and `session` in endpoint.ts, the variant `stream` in protocol/, the keys
 * of streams in lib/keys.ts, the settings MCP_STREAM_SECONDS and MCP_STREAMS_PER_KEY, and `streaming` in infra/ with
 * lib/aws/lambda/streaming-lambda.ts.
 */
export function sseTransport() {
  const wakeups: Wakeups = new Map();
  return {
    /** Throws NOT_FOUND unless the session has an open stream of this key. */
    requireStream,

    /** Responds to a GET with a stream of events: the address to POST to, then replies. Throws RATE_LIMITED. */
    open: async (context: StateContext, request: Request): Promise<Response> => {
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
    },

    /** Processes messages of an open stream, queues the replies and returns 202. Throws NOT_FOUND if it is closed. */
    accept: async (context: StateContext, session: string, { messages }: Posted): Promise<Response> => {
      for (const message of messages) {
        if (message.is === 'silent') continue;
        const id = await reserveReply(context, session);
        await putReply(context, session, id, await respondTo(context, 'stream', message));
        wakeups.get(session)?.();
        await yieldToEventLoop();
      }
      return new Response(null, { status: 202 });
    },
  };
}

/** Whether a GET opens a stream of 2024-11-05; later clients send their version or, like VS Code, a session id. */
export function opensStream(headers: Headers): boolean {
  const accept = headers.get('accept');
  const version = headers.get(VERSION_HEADER);
  return (
    (accept === null || /text\/event-stream|\*\/\*/i.test(accept)) &&
    !headers.has('mcp-session-id') &&
    (version === null || version === STREAM_VERSION)
  );
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}
