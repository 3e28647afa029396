import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { streamingLambda } from '#lib/aws/lambda/streaming-lambda.ts';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';
import { memoryLog } from '#test/support/log.ts';

type Handler = (event: ApiEvent, out: Writable, context: object) => Promise<void>;
type Runtime = { awslambda?: unknown };

/** Streaming runtime of Lambda as a function sees it; keeps the written chunks. */
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

/** Runtime that delivers each chunk only with the next one or at the end, as observed on function URLs. */
class Holding extends Out {
  held: string[] = [];
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.pieces.push(...this.held.splice(0));
    this.held.push(String(chunk));
    done();
  }
  override _final(done: () => void): void {
    this.pieces.push(...this.held.splice(0));
    done();
  }
}

const event = { headers: {}, requestContext: { requestId: 'one' } } as Partial<ApiEvent> as ApiEvent;
/** Comment of an event stream, which readers skip. */
const COMMENT = ':\n\n';
const context = (left = 900_000) => ({ awsRequestId: 'one', getRemainingTimeInMillis: () => left });
const log = () => ({ ...memoryLog(), begin: () => {} });

describe('streamingLambda', () => {
  it('sends status, headers and each chunk at once', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const pieces = writable.getWriter();
    const reply = new Response(readable, { status: 201, headers: { 'content-type': 'text/event-stream' } });
    const handler = streamingLambda(async () => reply, { log: log() }) as Handler;
    const out = new Out();
    const done = handler(event, out, context());
    await pieces.write(Buffer.from('data: 1\n\n'));
    await expect.poll(() => out.pieces[0]).toBe('data: 1\n\n');
    expect(out.head).toEqual({
      statusCode: 201,
      headers: { 'content-type': 'text/event-stream', 'x-request-id': 'one' },
    });
    expect(out.writableEnded).toBe(false);
    await pieces.write(Buffer.from('data: 2\n\n'));
    await pieces.close();
    await done;
    expect(out.pieces.join('').replaceAll(COMMENT, '')).toBe('data: 1\n\ndata: 2\n\n');
    expect(out.writableEnded).toBe(true);
  });

  it('delivers an event at once, also if each chunk is buffered until the next', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const pieces = writable.getWriter();
    const reply = new Response(readable, { headers: { 'content-type': 'text/event-stream' } });
    const handler = streamingLambda(async () => reply, { log: log() }) as Handler;
    const out = new Holding();
    const done = handler(event, out, context());
    for (const data of ['data: 1\n\n', 'data: 2\n\n']) {
      await pieces.write(Buffer.from(data));
      await expect.poll(() => out.pieces).toContain(data);
    }
    await pieces.close();
    await done;
    expect(out.pieces.join('').replaceAll(COMMENT, '')).toBe('data: 1\n\ndata: 2\n\n');
  });

  it('adds nothing between chunks of a response that is not an event stream', async () => {
    const out = new Out();
    const handler = streamingLambda(async () => Response.json({ a: 1 }), { log: log() }) as Handler;
    await handler(event, out, context());
    expect(out.pieces).toEqual(['{"a":1}']);
  });

  it.each([202, 204, 401])('sends a byte after the head of a %d response without a body, and ends', async (status) => {
    const out = new Out();
    const handler = streamingLambda(async () => new Response(null, { status }), { log: log() }) as Handler;
    await handler(event, out, context());
    expect(out.head).toMatchObject({ statusCode: status });
    expect(out.pieces.join('')).toBe('\n');
    expect(out.writableEnded).toBe(true);
  });

  it.each([
    ['as it was sent', { authorization: 'Bearer fw_1' }, 'Bearer fw_1'],
    [
      'as forwarded by CloudFront, which uses the header for its signature',
      { authorization: 'AWS4-HMAC-SHA256 Credential=x', 'x-forwarded-authorization': 'Bearer fw_1' },
      'Bearer fw_1',
    ],
  ])('passes the key of its caller %s', async (_, headers, key) => {
    const seen: unknown[] = [];
    const work = async (one: ApiEvent) => {
      seen.push(one.headers.authorization);
      return new Response('ok');
    };
    const handler = streamingLambda(work, { log: log() }) as Handler;
    await handler({ ...event, headers }, new Out(), context());
    expect(seen).toEqual([key]);
  });

  it('aborts before the timeout, and when the client disconnects', async () => {
    for (const [left, end] of [
      [2000, () => {}],
      [900_000, (out: Out) => void out.destroy(new Error('gone'))],
    ] as const) {
      const out = new Out();
      const work = (_: ApiEvent, { signal }: { signal: AbortSignal }) =>
        new Promise<Response>((resolve) => {
          signal.addEventListener('abort', () => resolve(new Response('ended')));
          end(out);
        });
      await (streamingLambda(work, { log: log() }) as Handler)(event, out, context(left));
    }
  });

  it('logs errors and rethrows them to Lambda instead of sending an empty response', async () => {
    const lines = log();
    const out = new Out();
    const handler = streamingLambda(() => Promise.reject(new Error('broken')), { log: lines }) as Handler;
    await expect(handler(event, out, context())).rejects.toThrow('broken');
    expect(out.head).toBeUndefined();
    expect(out.writableEnded).toBe(false);
    expect(lines.lines).toMatchObject([{ level: 'error', message: 'stream failed' }]);
  });

  it('does not end normally after an error midway', async () => {
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
    expect(lines.lines).toMatchObject([{ level: 'error', message: 'stream failed' }]);
  });

  it('reports a runtime without streaming', () => {
    delete (globalThis as Runtime).awslambda;
    expect(() => streamingLambda(async () => new Response(), { log: log() })).toThrow('response streaming');
  });
});
