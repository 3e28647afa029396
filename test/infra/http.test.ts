import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Gateway, makeGateway } from '#infra/local/http.ts';
import type { Handler, Invocation } from '#infra/local/invoke.ts';
import { functions } from '#infra/topology.ts';
import type { ApiEvent, ApiResult } from '#lib/platform/api-event.ts';
import { memoryLog } from '#test/support/log.ts';

type Answer = (event: ApiEvent, context: Invocation) => Promise<ApiResult>;

const says = (body: string, statusCode = 200): ApiResult => ({ statusCode, headers: {}, body });
/** Answers the event it was given, as JSON. */
const echo: Answer = async (event) => says(JSON.stringify(event));

let gateway: Gateway;
let url: string;
let port: number;
const log = memoryLog();

async function start(api: Answer = echo, ingest: Answer = echo) {
  gateway = makeGateway({ api: api as Handler, ingest: ingest as Handler }, { origins: ['*'], log });
  port = await gateway.listen('127.0.0.1', 0);
  url = `http://127.0.0.1:${port}`;
}

afterEach(async () => {
  vi.useRealTimers();
  const stopped = gateway.stop();
  gateway.cut();
  await stopped;
  log.lines.length = 0;
});

/** Sends bytes as they are, and gives all that comes back until the other side closes. */
function raw(text: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('the HTTP gateway', () => {
  it('hands a request over as API Gateway does', async () => {
    await start();
    const reply = await fetch(`${url}/v1/checks/a%20b?limit=5&x=%C3%A9`, {
      method: 'POST',
      headers: { Authorization: 'Bearer k', 'X-Odd': 'one' },
      body: '{"text":"Grüße"}',
    });
    const event = (await reply.json()) as ApiEvent;
    expect(event).toMatchObject({
      rawPath: '/v1/checks/a%20b',
      rawQueryString: 'limit=5&x=%C3%A9',
      headers: { authorization: 'Bearer k', 'x-odd': 'one' },
      body: '{"text":"Grüße"}',
      isBase64Encoded: false,
      requestContext: { http: { method: 'POST', path: '/v1/checks/a%20b', sourceIp: '127.0.0.1' } },
    });
    expect(reply.headers.get('x-request-id')).toBe(event.requestContext.requestId);
  });

  it('joins headers that come twice', async () => {
    await start();
    const answer = await raw(
      'GET / HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nX-A: 2\r\nAuthorization: one\r\nAuthorization: two\r\nConnection: close\r\n\r\n',
      port,
    );
    const event = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as ApiEvent;
    expect(event.headers).toMatchObject({ 'x-a': '1, 2', authorization: 'one, two' });
  });

  it('hands over a body that is not text as base64', async () => {
    await start();
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    const event = (await (await fetch(url, { method: 'POST', body: bytes })).json()) as ApiEvent;
    expect(event).toMatchObject({ body: bytes.toString('base64'), isBase64Encoded: true });
  });

  it('hands over no body when there is none, and a chunked one whole', async () => {
    await start();
    expect(await (await fetch(url, { method: 'POST' })).json()).not.toHaveProperty('body');
    const chunked = new Promise<string>((resolve) => {
      const request = httpRequest(url, { method: 'POST' }, async (response) => {
        resolve(Buffer.concat(await response.toArray()).toString());
      });
      request.write('{"a"');
      request.end(':1}');
    });
    expect(JSON.parse(await chunked)).toMatchObject({ body: '{"a":1}' });
  });

  it('sends pushes to the ingest function and everything else to the API', async () => {
    await start(
      async () => says('api'),
      async () => says('ingest'),
    );
    const at = async (method: string, path: string) => (await fetch(url + path, { method })).text();
    expect(await at('POST', '/v1/checks/chk_1/heartbeat')).toBe('ingest');
    expect(await at('POST', '/v1/checks/chk_1/results')).toBe('ingest');
    expect(await at('GET', '/v1/checks/chk_1/results')).toBe('api');
    expect(await at('POST', '/v1/checks//heartbeat')).toBe('api');
    expect(await at('POST', '/v1/checks/chk_1/heartbeat/x')).toBe('api');
    expect(await at('GET', '/')).toBe('api');
  });

  it('gives status, headers and body of the answer', async () => {
    await start(async () => ({ statusCode: 409, headers: { allow: 'GET', link: '<x>' }, body: 'ü' }));
    const reply = await fetch(url);
    expect([reply.status, reply.headers.get('allow'), reply.headers.get('link')]).toEqual([409, 'GET', '<x>']);
    expect(reply.headers.get('content-length')).toBe('2');
    expect(await reply.text()).toBe('ü');
  });

  it('answers 204 without a body, and HEAD without one', async () => {
    await start(async (event) => says('', event.requestContext.http.method === 'HEAD' ? 200 : 204));
    const reply = await fetch(url, { method: 'DELETE' });
    expect(reply.status).toBe(204);
    expect(reply.headers.get('content-length')).toBeNull();
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  });

  it('answers INTERNAL with the request id when a function fails, logs it, and shows nothing of it', async () => {
    await start(async () => {
      throw new Error('the secret inside');
    });
    const reply = await fetch(url);
    const body = await reply.json();
    expect(reply.status).toBe(500);
    expect(body).toEqual({
      error: expect.any(String),
      code: 'INTERNAL',
      request_id: reply.headers.get('x-request-id'),
    });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(log.lines).toMatchObject([
      { level: 'error', fields: { function: 'api', error: { message: 'the secret inside' } } },
    ]);
  });

  it('answers UNAVAILABLE when a function does not end in its time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let entered = false;
    await start(() => {
      entered = true;
      return new Promise(() => {});
    });
    const reply = fetch(url);
    while (!entered) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync((functions.api.timeout_seconds + 1) * 1000);
    vi.useRealTimers();
    expect((await reply).status).toBe(503);
    expect((await reply).headers.get('retry-after')).toBe('1');
    expect(await (await reply).json()).toMatchObject({ code: 'UNAVAILABLE' });
  });

  describe('limits', () => {
    it('refuses a body that is announced with more than 10 MB at once', async () => {
      let runs = 0;
      await start(async () => says(String(runs++)));
      const answer = await new Promise<{ status: number; body: string }>((resolve, reject) => {
        const headers = { 'content-length': 11 * 1024 * 1024 };
        const request = httpRequest(url, { method: 'POST', headers }, async (response) => {
          resolve({ status: response.statusCode!, body: Buffer.concat(await response.toArray()).toString() });
          request.destroy();
        });
        request.on('error', reject);
        request.write('x');
      });
      expect(answer.status).toBe(413);
      expect(JSON.parse(answer.body).code).toBe('PAYLOAD_TOO_LARGE');
      expect(runs).toBe(0);
    });

    it('refuses a body that turns out to have more, and takes one that has just 10 MB', async () => {
      await start(async (event) => says(String(event.body?.length)));
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      const upload = (megabytes: number) =>
        fetch(url, {
          method: 'POST',
          body: new ReadableStream({
            pull: (controller) => (megabytes-- > 0 ? controller.enqueue(chunk) : controller.close()),
          }),
          duplex: 'half',
        } as RequestInit);
      expect(await (await upload(10)).text()).toBe(String(10 * 1024 * 1024));
      expect((await upload(11)).status).toBe(413);
    });

    it.each([
      ['what is no HTTP', 'hello\r\n\r\n', '400'],
      ['a header that is too large', `GET / HTTP/1.1\r\nhost: h\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
      ['two lengths', 'POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', '400'],
      ['no host', 'GET / HTTP/1.1\r\n\r\n', '400'],
    ])('answers %s and closes', async (_, text, status) => {
      await start();
      expect(await raw(text, port)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect((await fetch(url)).status).toBe(200);
    });

    it('understands a request line with a whole address', async () => {
      await start();
      const answer = await raw('GET http://h/v1/me?a=1 HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n', port);
      expect(answer).toContain('"rawPath":"/v1/me","rawQueryString":"a=1"');
    });
  });

  describe('clients', () => {
    it('may go away in the middle of a request or of waiting', async () => {
      let entered = 0;
      let release = () => {};
      await start(async () => {
        entered++;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return says('late');
      });
      const half = connect(port, '127.0.0.1', () =>
        half.write('POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 9\r\n\r\nabc'),
      );
      await vi.waitFor(() => expect(half.bytesWritten).toBeGreaterThan(0));
      half.destroy();
      const waiting = connect(port, '127.0.0.1', () => waiting.write('GET / HTTP/1.1\r\nhost: h\r\n\r\n'));
      await vi.waitFor(() => expect(entered).toBe(1));
      waiting.destroy();
      release();
      const again = fetch(url);
      await vi.waitFor(() => expect(entered).toBe(2));
      release();
      expect(await (await again).text()).toBe('late');
    });

    it('keep their connection for the next request', async () => {
      await start();
      const answer = await raw(
        'GET /1 HTTP/1.1\r\nhost: h\r\n\r\nPOST /2 HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\n\r\n{}GET /3 HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n',
        port,
      );
      expect(answer.match(/HTTP\/1.1 200/g)).toHaveLength(3);
    });

    it('get the answer in hand while the gateway stops, and no new one', async () => {
      let entered = false;
      let release = () => {};
      await start(async () => {
        entered = true;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return says('done');
      });
      const idle = connect(port, '127.0.0.1');
      const reply = fetch(url);
      await vi.waitFor(() => expect(entered).toBe(true));
      const stopped = gateway.stop();
      await expect(fetch(url)).rejects.toThrow();
      release();
      const answer = await reply;
      expect(answer.headers.get('connection')).toBe('close');
      expect(await answer.text()).toBe('done');
      await stopped;
      idle.destroy();
    });
  });

  it('says in an error that the port is taken', async () => {
    await start();
    const other = makeGateway({}, { origins: ['*'], log });
    await expect(other.listen('127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
