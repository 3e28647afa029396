import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Gateway, makeGateway } from '#infra/local/http/http.ts';
import type { Handler, Invocation } from '#infra/local/invoke.ts';
import { type ApiEvent, requestOf } from '#lib/platform/http/api-event.ts';
import { readSettings } from '#lib/settings.ts';
import { eventually } from '#test/support/eventually.ts';
import { memoryLog } from '#test/support/log.ts';

let gateway: Gateway;
let url: string;
const log = memoryLog();

async function start(mcp: (event: ApiEvent, context: Invocation) => Promise<Response>) {
  gateway = makeGateway({ mcp: mcp as Handler }, { settings: readSettings({}), log });
  url = `http://127.0.0.1:${await gateway.listen('127.0.0.1', 0)}/v1/mcp`;
}

afterEach(async () => {
  const stopped = gateway.stop();
  gateway.cut();
  await stopped;
  log.lines.length = 0;
});

/** Creates a body that a test feeds and that reports its cancellation. */
function fed() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const state = { cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    start: (one) => {
      controller = one;
    },
    cancel: () => {
      state.cancelled = true;
    },
  });
  const encoder = new TextEncoder();
  return {
    body,
    state,
    say: (text: string) => controller.enqueue(encoder.encode(text)),
    end: () => controller.close(),
  };
}

describe('streaming function', () => {
  it('sends its chunks as they come, with status and headers', async () => {
    const { body, say, end } = fed();
    await start(async () => new Response(body, { status: 201, headers: { 'content-type': 'text/event-stream' } }));
    const { origin } = new URL(url);
    const reply = await fetch(url, { headers: { origin } });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([201, 'text/event-stream']);
    expect(reply.headers.get('x-request-id')).toMatch(/\S{8,}/);
    expect(reply.headers.get('access-control-allow-origin')).toBe(origin);
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (const text of ['one', 'two']) {
      say(text);
      expect((await reader.read()).value).toBe(text);
    }
    end();
    expect((await reader.read()).done).toBe(true);
  });

  it('gets an aborted signal and a canceled body when its client disconnects', async () => {
    const { body, state, say } = fed();
    let signal: AbortSignal | undefined;
    await start(async (_event, context) => {
      signal = context.signal;
      return new Response(body);
    });
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write('GET /v1/mcp HTTP/1.1\r\nhost: h\r\n\r\n'),
    );
    say('one');
    await once(socket, 'data');
    expect(signal!.aborted).toBe(false);
    socket.destroy();
    await eventually(() => state.cancelled && signal!.aborted);
    expect(log.lines).toEqual([]);
  });

  it('gets an aborted signal when the gateway stops, and may send a last chunk', async () => {
    const { body, say, end } = fed();
    await start(async (_event, { signal }) => {
      signal.addEventListener('abort', () => {
        say('bye');
        end();
      });
      return new Response(body);
    });
    const reply = await fetch(url);
    const stopped = gateway.stop();
    expect(await reply.text()).toBe('bye');
    await stopped;
  });

  it('responds without a body, and fails like any other function', async () => {
    await start(async ({ requestContext: { http } }) => {
      if (http.method === 'PUT') throw new Error('a failure');
      return new Response(null, { status: 202 });
    });
    const empty = await fetch(url, { method: 'POST', body: '{}' });
    expect([empty.status, await empty.text()]).toEqual([202, '']);
    const fault = await fetch(url, { method: 'PUT' });
    expect([fault.status, (await fault.json()) as object]).toMatchObject([500, { code: 'INTERNAL' }]);
  });
});

describe('requestOf', () => {
  const event = (more: Partial<ApiEvent> = {}, method = 'POST'): ApiEvent => ({
    rawPath: '/v1/mcp',
    rawQueryString: 'a=1&b=%20',
    headers: { accept: '*/*', 'x-none': undefined },
    isBase64Encoded: false,
    requestContext: { requestId: 'r1', domainName: 'api.example', http: { method, path: '/v1/mcp' } },
    ...more,
  });

  it('keeps address, method, headers and body', async () => {
    const request = requestOf(event({ body: 'Grüße' }), 1000);
    expect([request.method, request.url]).toEqual(['POST', 'https://api.example/v1/mcp?a=1&b=%20']);
    expect(Object.fromEntries(request.headers)).toMatchObject({ accept: '*/*', 'x-request-id': 'r1' });
    expect(await request.text()).toBe('Grüße');
    const bytes = Buffer.from([0xff, 0x00]);
    const binary = requestOf(event({ body: bytes.toString('base64'), isBase64Encoded: true }), 1000);
    expect(Buffer.from(await binary.arrayBuffer())).toEqual(bytes);
  });

  it('has no body if the event has none', async () => {
    expect(await requestOf(event({}, 'GET'), 1000).text()).toBe('');
    expect(await requestOf(event({ body: 'x' }, 'GET'), 1000).text()).toBe('');
  });
});
