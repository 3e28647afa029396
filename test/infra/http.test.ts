import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { frontPage } from '#infra/local/front-page.ts';
import { type Gateway, makeGateway } from '#infra/local/http.ts';
import type { Handler, Invocation } from '#infra/local/invoke.ts';
import { functions } from '#infra/topology.ts';
import type { ApiEvent, ApiResult } from '#lib/platform/http/api-event.ts';
import { memoryLog } from '#test/support/log.ts';

type Answer = (event: ApiEvent, context: Invocation) => Promise<ApiResult>;

const says = (body: string, statusCode = 200): ApiResult => ({ statusCode, headers: {}, body });
/** Answers the event it was given, as JSON, with its body as a text. */
const echo: Answer = async ({ readBody, ...event }) => {
  const body = (await readBody?.(1000))?.toString();
  return says(JSON.stringify({ ...event, body }));
};

let gateway: Gateway;
let url: string;
let port: number;
const log = memoryLog();

async function start(api: Answer = echo, ingest: Answer = echo, frontPage?: () => ApiResult) {
  const options = { origins: ['*'], log, ...(frontPage && { frontPage }) };
  gateway = makeGateway({ api: api as Handler, ingest: ingest as Handler }, options);
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

/** One answer, as `raw` gives it. */
function parsed(text: string) {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...headers] = head.split('\r\n');
  return {
    status: Number(line.split(' ')[1]),
    headers: new Headers(headers.map((header): [string, string] => [header.split(': ')[0]!, header.split(': ')[1]!])),
    body: JSON.parse(rest.join('')),
  };
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

  it('says at its bare address where to go, without a key, and asks no function', async () => {
    await start(async () => says('a function was asked', 500), echo, frontPage);
    for (const address of [url, `${url}/?from=bookmark`]) {
      const page = await fetch(address);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(page.headers.get('x-request-id')).toBeTruthy();
      const text = await page.text();
      for (const word of ['/v1/openapi.json', '/v1/health', 'Authorization: Bearer', 'README.md']) {
        expect(text).toContain(word);
      }
    }
    expect(await (await fetch(url, { method: 'HEAD' })).text()).toBe('');
    expect((await fetch(url, { method: 'POST' })).status).toBe(500);
    expect((await fetch(`${url}/index.html`)).status).toBe(500);
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

  it('hands over the bytes of a body as they came', async () => {
    await start(async ({ readBody }) => says((await readBody!(3))!.toString('hex')));
    const body = Buffer.from([0xff, 0x00, 0xfe]);
    expect(await (await fetch(url, { method: 'POST', body })).text()).toBe('ff00fe');
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
    const upload = (megabytes: number) => {
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      return fetch(url, {
        method: 'POST',
        body: new ReadableStream({
          pull: (controller) => (megabytes-- > 0 ? controller.enqueue(chunk) : controller.close()),
        }),
        duplex: 'half',
      } as RequestInit);
    };

    it('hands over a body as large as it is wanted, and of a larger one nothing', async () => {
      const MB = 1024 * 1024;
      await start(async ({ readBody }) => says(String((await readBody!(2 * MB))?.length)));
      expect(await (await upload(2)).text()).toBe(String(2 * MB));
      expect(await (await upload(11)).text()).toBe('undefined');
    });

    it('reads nothing of a body that nobody wants', async () => {
      let entered = 0;
      await start(async () => {
        entered++;
        return new Promise(() => {});
      });
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(`POST / HTTP/1.1\r\nhost: h\r\ncontent-length: ${10 ** 12}\r\n\r\n`);
      await vi.waitFor(() => expect(entered).toBe(1));
      for (let i = 0; i < 64; i++) socket.write(chunk);
      await vi.waitFor(() => expect(socket.bytesWritten).toBeGreaterThan(0));
      // What the system buffers between two sockets, and no more.
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(socket.writableLength).toBeGreaterThan(40 * chunk.length);
      socket.destroy();
    });

    it('keeps the connection when a body is too large, for the request behind it', async () => {
      await start(async (event) => says(event.rawPath));
      const large = 'x'.repeat(5 * 1024 * 1024);
      const head = `POST /1 HTTP/1.1\r\nhost: h\r\ncontent-length: ${large.length}\r\n\r\n`;
      const answer = await raw(`${head}${large}GET /2 HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n`, port);
      expect(answer.match(/HTTP\/1.1 200/g)).toHaveLength(2);
      expect(answer).toMatch(/\/2$/);
    });

    it('lets a client see the answer to a large body when it wants no more of the connection', async () => {
      await start(async () => says('seen'));
      const large = 'x'.repeat(11 * 1024 * 1024);
      const head = `POST / HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-length: ${large.length}\r\n\r\n`;
      expect(await raw(head + large, port)).toMatch(/seen$/);
    });

    it('cuts off who never ends behind the answer', async () => {
      await start(async () => says('heard'));
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      let sent = 0;
      let answer = '';
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(`POST / HTTP/1.1\r\nhost: h\r\ncontent-length: ${10 ** 12}\r\n\r\n`);
          more();
        });
        const more = () => {
          while (!socket.destroyed && socket.write(chunk)) sent++;
          sent++;
        };
        socket.on('drain', more);
        socket.on('data', (text) => {
          answer += text;
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve());
      });
      expect(answer).toMatch(/^HTTP\/1.1 200 /);
      expect(answer).toMatch(/heard$/);
      expect(sent).toBeGreaterThan(16);
      expect(sent).toBeLessThan(200);
    });

    it.each([
      ['what is no HTTP', 'hello\r\n\r\n', 400],
      ['a header that is too large', `GET / HTTP/1.1\r\nhost: h\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      ['two lengths', 'POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 400],
      ['a garbled chunk', 'POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n', 400],
      ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ])('refuses %s, closes the connection, and goes on with others', async (_, text, status) => {
      await start();
      expect(await raw(text, port)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect((await fetch(url)).status).toBe(200);
    });

    it.each(['a, b', 'a b'])('says so where %j stands in Host', async (host) => {
      await start();
      const answer = parsed(await raw(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`, port));
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', details: [{ path: 'host' }] } });
    });

    it('takes a request without a host in HTTP/1.0', async () => {
      await start();
      expect(parsed(await raw('GET /a HTTP/1.0\r\n\r\n', port))).toMatchObject({
        status: 200,
        body: { rawPath: '/a' },
      });
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
