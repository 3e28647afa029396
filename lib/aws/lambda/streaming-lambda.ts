import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';
import type { LambdaLog } from './lambda.ts';

type StreamingRuntime = {
  streamifyResponse(work: (event: ApiEvent, out: Writable, context: Context) => Promise<void>): unknown;
  HttpResponseStream: {
    from(out: Writable, head: { statusCode: number; headers: Record<string, string> }): Writable;
  };
};

/** Header with the caller's Authorization, because CloudFront uses Authorization itself (infra/aws/edge). */
export const FORWARDED_AUTHORIZATION = 'x-forwarded-authorization';

/** Time (ms) before the timeout at which a stream is ended, so that the client reconnects. */
const END_BEFORE_MS = 2000;

/**
 * Returns a handler of a function URL that streams a web Response. Lambda does not report that a client disconnected; a
 * failed write does. Errors are logged and rethrown: before the head is sent, the client receives a 502 and the metrics
 * count an error; after it, the stream ends early.
 */
export function streamingLambda(
  work: (event: ApiEvent, context: { signal: AbortSignal }) => Promise<Response>,
  { log }: { log: LambdaLog },
): unknown {
  // The SDK defines a part of this global too, so both properties are checked.
  const runtime = (globalThis as { awslambda?: Partial<StreamingRuntime> }).awslambda;
  const { streamifyResponse, HttpResponseStream } = runtime ?? {};
  if (!streamifyResponse || !HttpResponseStream)
    throw new Error('This function requires a runtime with response streaming.');

  return streamifyResponse(async (event, out, context) => {
    log.begin(context.awsRequestId);
    const controller = new AbortController();
    const abort = (why: string) => controller.abort(new Error(why));
    const left = Math.max(0, context.getRemainingTimeInMillis() - END_BEFORE_MS);
    const timer = setTimeout(abort, left, 'The function has timed out.');
    out.on('error', () => abort('The client has disconnected.'));
    out.on('close', () => abort('The stream is closed.'));
    try {
      const authorization = event.headers[FORWARDED_AUTHORIZATION] ?? event.headers.authorization;
      const original = { ...event, headers: { ...event.headers, authorization } };
      const reply = await work(original, { signal: controller.signal });
      const head = {
        statusCode: reply.status,
        headers: { ...Object.fromEntries(reply.headers), 'x-request-id': event.requestContext.requestId },
      };
      await send(HttpResponseStream.from(out, head), reply, controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) {
        log.error('stream failed', { error });
        throw error;
      }
      out.end();
    } finally {
      clearTimeout(timer);
    }
  });
}

/** A comment of an event stream, which clients ignore. */
const EMPTY_COMMENT = ':\n\n';

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
    // A function URL can hold a small chunk until the next one is written: too late for an event.
    await nextTurn();
    await write(EMPTY_COMMENT);
  }
  // The head is sent with the first byte, and some proxies do not see the end of an empty response.
  if (isEmpty) await write('\n');
  out.end();
}
