import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiEvent } from '#lib/platform/api-event.ts';
import { streamingLambda } from '#lib/platform/aws/streaming-lambda.ts';
import { memoryLog } from '#test/support/log.ts';

type Handler = (event: ApiEvent, out: Writable, context: object) => Promise<void>;
type Runtime = { awslambda?: unknown };

/** Lambda's streaming runtime, as far as a function sees it: what is written is kept piece by piece. */
class Out extends Writable {
  head: unknown;
  pieces: string[] = [];
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (chunk.length > 0) this.pieces.push(String(chunk));
    done();
  }
}

beforeEach(() => {
  (globalThis as Runtime).awslambda = {
    streamifyResponse: (handler: Handler) => handler,
    HttpResponseStream: {
      from: (out: Out, head: unknown) => {
        out.head = head;
        return out;
      },
    },
  };
});
afterEach(() => {
  delete (globalThis as Runtime).awslambda;
});

const event = { requestContext: { requestId: 'one' } } as ApiEvent;
const context = (left = 900_000) => ({ awsRequestId: 'one', getRemainingTimeInMillis: () => left });
const log = () => ({ ...memoryLog(), begin: () => {} });

describe('a function that streams', () => {
  it('sends status, headers and each piece as it comes', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const pieces = writable.getWriter();
    const reply = new Response(readable, { status: 201, headers: { 'content-type': 'text/event-stream' } });
    const handler = streamingLambda(async () => reply, { log: log() }) as Handler;
    const out = new Out();
    const done = handler(event, out, context());
    await pieces.write(Buffer.from('data: 1\n\n'));
    await expect.poll(() => out.pieces).toEqual(['data: 1\n\n']);
    expect(out.head).toEqual({
      statusCode: 201,
      headers: { 'content-type': 'text/event-stream', 'x-request-id': 'one' },
    });
    expect(out.writableEnded).toBe(false);
    await pieces.write(Buffer.from('data: 2\n\n'));
    await pieces.close();
    await done;
    expect(out.pieces).toEqual(['data: 1\n\n', 'data: 2\n\n']);
    expect(out.writableEnded).toBe(true);
  });

  it('is told to end before its time-out, and when its client has gone', async () => {
    for (const [left, end] of [
      [2000, () => {}],
      [900_000, (out: Out) => void out.destroy(new Error('gone'))],
    ] as const) {
      const out = new Out();
      const work = (_: ApiEvent, { signal }: { signal: AbortSignal }) =>
        new Promise<Response>((resolve) => {
          signal.addEventListener('abort', () => resolve(new Response('over')));
          end(out);
        });
      await (streamingLambda(work, { log: log() }) as Handler)(event, out, context(left));
    }
  });

  it('logs what breaks, and throws it on to Lambda instead of an empty answer that looks well', async () => {
    const lines = log();
    const out = new Out();
    const handler = streamingLambda(() => Promise.reject(new Error('broken')), { log: lines }) as Handler;
    await expect(handler(event, out, context())).rejects.toThrow('broken');
    expect(out.head).toBeUndefined();
    expect(out.writableEnded).toBe(false);
    expect(lines.lines).toMatchObject([{ level: 'error', message: 'a stream broke' }]);
  });

  it('does not end as if it were whole when it breaks midway', async () => {
    const broken = async function* () {
      yield Buffer.from('data: 1\n\n');
      throw new Error('the store is gone');
    };
    const lines = log();
    const out = new Out();
    const reply = new Response(ReadableStream.from(broken()));
    const handler = streamingLambda(async () => reply, { log: lines }) as Handler;
    await expect(handler(event, out, context())).rejects.toThrow('the store is gone');
    expect(out.pieces).toEqual(['data: 1\n\n']);
    expect(out.writableEnded).toBe(false);
    expect(lines.lines).toMatchObject([{ level: 'error', message: 'a stream broke' }]);
  });

  it('says so where responses are not streamed', () => {
    delete (globalThis as Runtime).awslambda;
    expect(() => streamingLambda(async () => new Response(), { log: log() })).toThrow('streamed');
  });
});
