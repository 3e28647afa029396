import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Context } from 'aws-lambda';
import type { ApiEvent } from '#lib/platform/api-event.ts';
import type { LambdaLog } from './lambda-log.ts';

/** The part of Lambda's streaming runtime that is used here; it is a global of the function's process. */
type StreamingRuntime = {
  streamifyResponse(work: (event: ApiEvent, out: Writable, context: Context) => Promise<void>): unknown;
  HttpResponseStream: {
    from(out: Writable, head: { statusCode: number; headers: Record<string, string> }): Writable;
  };
};

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
      const reply = await work(event, { signal: controller.signal });
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

async function send(out: Writable, reply: Response, signal: AbortSignal): Promise<void> {
  // Without a first byte the head is not sent.
  out.write('');
  for await (const chunk of reply.body ?? []) {
    if (!out.write(chunk)) await once(out, 'drain', { signal });
  }
  out.end();
}
