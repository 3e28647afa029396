import { randomUUID } from 'node:crypto';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import type { Posted } from '#lib/mcp/json-rpc.ts';
import { answer } from '#lib/mcp/protocol/methods.ts';
import { STREAM_VERSION, VERSION_HEADER } from '#lib/mcp/protocol/variant.ts';
import { openStream, putReply, requireStream, reserveReply } from './reply-queue.ts';
import { eventsOf, type Wakeups } from './stream-events.ts';

/**
 * The legacy transport of MCP, HTTP+SSE of 2024-11-05. This file is its only entry, and endpoint.ts alone imports it.
 * To delete the transport: this folder and its tests, what endpoint.ts does with `streams` and `session`, the variant
 * `stream` in protocol/, the keys of streams in lib/keys.ts, the MCP_STREAM settings, and what `streaming` names in
 * infra/.
 */
export function sseTransport() {
  const wakeups: Wakeups = new Map();
  return {
    /** Refuses a session whose stream is not open, or not that of this key. Throws NOT_FOUND. */
    requireStream,

    /**
     * Answers a GET with a stream of server-sent events: the address to POST to, and then every reply to what is posted
     * there. Throws RATE_LIMITED. It ends when `request.signal` aborts, as soon as no reply is awaited.
     */
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

    /**
     * Takes what is posted for an open stream: 202 as soon as its replies are queued. Throws NOT_FOUND when the stream
     * closes meanwhile.
     */
    take: async (context: StateContext, session: string, { messages }: Posted): Promise<Response> => {
      for (const message of messages) {
        if (message.is === 'silent') continue;
        const id = await reserveReply(context, session);
        await putReply(context, session, id, await answer(context, 'stream', message));
        wakeups.get(session)?.();
        await othersTurn();
      }
      return new Response(null, { status: 202 });
    },
  };
}

/**
 * Whether a GET opens a stream of 2024-11-05. A client of a later version asks for a back channel, which there is
 * none of: it names its version, or, as VS Code does, the session id that every handshake is given.
 */
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
