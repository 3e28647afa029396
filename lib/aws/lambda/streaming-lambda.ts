import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';
import type { LambdaLog } from './lambda.ts';

/** The part of Lambda's streaming runtime that is used here; it is a global of the function's process. */
type StreamingRuntime = {
  streamifyResponse(work: (event: ApiEvent, out: Writable, context: Context) => Promise<void>): unknown;
  HttpResponseStream: {
    from(out: Writable, head: { statusCode: number; headers: Record<string, string> }): Writable;
  };
};

/**
 * Where CloudFront stands in front, it signs what it sends to a function URL, in the header Authorization; that of the
 * caller travels in this one (infra/aws/edge).
 */
export const FORWARDED_AUTHORIZATION = 'x-forwarded-authorization';

/** How long before its time-out a stream is ended, so that the client sees an end and comes back. */
const GRACE_MS = 2000;

/**
 * A handler of a function URL that streams: a web Response goes out as it comes. Lambda does not tell when a client has
 * gone away; a write that fails does. What breaks is logged and thrown on to Lambda: before the head is out, the client
 * gets a 502 and the metrics an error; after it, the client gets a stream that is cut off.
 */
export function streamingLambda(
  work: (event: ApiEvent, context: { signal: AbortSignal }) => Promise<Response>,
  { log }: { log: LambdaLog },
): unknown {
  // Looked up when the function starts: the SDK defines a part of the same global.
  const runtime = (globalThis as { awslambda?: Partial<StreamingRuntime> }).awslambda;
  const { streamifyResponse, HttpResponseStream } = runtime ?? {};
  if (!streamifyResponse || !HttpResponseStream)
    throw new Error('This function runs only where responses are streamed.');

  return streamifyResponse(async (event, out, context) => {
    log.begin(context.awsRequestId);
    const controller = new AbortController();
    const abort = (why: string) => controller.abort(new Error(why));
    const left = Math.max(0, context.getRemainingTimeInMillis() - GRACE_MS);
    const timer = setTimeout(abort, left, 'The function is at its time-out.');
    out.on('error', () => abort('The client has gone away.'));
    out.on('close', () => abort('The stream is closed.'));
    try {
      const authorization = event.headers[FORWARDED_AUTHORIZATION] ?? event.headers.authorization;
      const asSent = { ...event, headers: { ...event.headers, authorization } };
      const reply = await work(asSent, { signal: controller.signal });
      const head = {
        statusCode: reply.status,
        headers: { ...Object.fromEntries(reply.headers), 'x-request-id': event.requestContext.requestId },
      };
      await send(HttpResponseStream.from(out, head), reply, controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) {
        log.error('a stream broke', { error });
        throw error;
      }
      out.end();
    } finally {
      clearTimeout(timer);
    }
  });
}

/** A comment, which says nothing to whoever reads events. */
const NOTHING = ':\n\n';

async function send(out: Writable, reply: Response, signal: AbortSignal): Promise<void> {
  const isEvents = reply.headers.get('content-type')?.startsWith('text/event-stream');
  const write = async (chunk: Uint8Array | string) => {
    if (!out.write(chunk)) await once(out, 'drain', { signal });
  };
  let isEmpty = true;
  for await (const chunk of reply.body ?? []) {
    isEmpty = false;
    await write(chunk);
    if (!isEvents) continue;
    // A function URL may keep a small piece back until the next is written, which for an event is too late.
    await nextTurn();
    await write(NOTHING);
  }
  // The head goes out with a first byte, and not every proxy sees the end of an answer that has none.
  if (isEmpty) await write('\n');
  out.end();
}
