import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Invocation } from '#infra/local/invoke.ts';
import { functions } from '#infra/topology.ts';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';
import { log, port, responseOf, sendRaw, start, stop, url } from './gateway.ts';

afterEach(async () => {
  vi.useRealTimers();
  await stop();
});

describe('requests and responses of the gateway', () => {
  it('passes a request as API Gateway does', async () => {
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

  it('passes cookies outside the headers, and sends each cookie of a function separately', async () => {
    const cookies = ['a=1; Path=/', 'b=2; Path=/; HttpOnly'];
    await start(async ({ headers, cookies: came }) => ({
      ...responseOf(JSON.stringify([headers.cookie, came])),
      cookies,
    }));
    const answer = await fetch(url, { headers: { cookie: 'x=1; y="a b";z=' } });
    expect(await answer.json()).toEqual([null, ['x=1', 'y="a b"', 'z=']]);
    expect(answer.headers.getSetCookie()).toEqual(cookies);
    expect(await (await fetch(url)).json()).toEqual([null, null]);
  });

  it('joins duplicate headers', async () => {
    await start();
    const answer = await sendRaw(
      'GET / HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nX-A: 2\r\nAuthorization: one\r\nAuthorization: two\r\nConnection: close\r\n\r\n',
      port,
    );
    const event = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as ApiEvent;
    expect(event.headers).toMatchObject({ 'x-a': '1, 2', authorization: 'one, two' });
  });

  it('passes the bytes of a body unchanged', async () => {
    await start(async ({ readBody }) => responseOf((await readBody!(3))!.toString('hex')));
    const body = Buffer.from([0xff, 0x00, 0xfe]);
    expect(await (await fetch(url, { method: 'POST', body })).text()).toBe('ff00fe');
  });

  it('passes a chunked body as a whole, and no body for a request without one', async () => {
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

  it('routes pushes to ingest, files to the console, everything else to the API', async () => {
    const named = async (_event: ApiEvent, { functionName }: Invocation) => responseOf(functionName);
    await start(named, named);
    const at = async (method: string, path: string) => (await fetch(url + path, { method })).text();
    expect(await at('POST', '/v1/checks/chk_1/heartbeat')).toBe('ingest');
    expect(await at('POST', '/v1/checks/chk_1/results')).toBe('ingest');
    expect(await at('GET', '/v1/checks/chk_1/results')).toBe('api');
    expect(await at('POST', '/v1/checks//heartbeat')).toBe('api');
    expect(await at('POST', '/v1/checks/chk_1/heartbeat/x')).toBe('api');
    expect(await at('GET', '/')).toBe('console');
    expect(await at('GET', '/assets/main.js')).toBe('console');
    expect(await at('GET', '/docs')).toBe('console');
    expect(await at('GET', '/docs/use/alerts')).toBe('console');
    expect(await at('POST', '/')).toBe('api');
    expect(await at('POST', '/assets/main.js')).toBe('api');
    expect(await at('GET', '/assets/more/main.js')).toBe('api');
  });

  it('sends status, headers and body of the response', async () => {
    await start(async () => ({ statusCode: 409, headers: { allow: 'GET', link: '<x>' }, body: 'ü' }));
    const reply = await fetch(url);
    expect([reply.status, reply.headers.get('allow'), reply.headers.get('link')]).toEqual([409, 'GET', '<x>']);
    expect(reply.headers.get('content-length')).toBe('2');
    expect(await reply.text()).toBe('ü');
  });

  it('decodes the body of a response', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    await start(async () => ({ ...responseOf(bytes.toString('base64')), isBase64Encoded: true }));
    const reply = await fetch(url);
    expect(reply.headers.get('content-length')).toBe('3');
    expect(Buffer.from(await reply.arrayBuffer())).toEqual(bytes);
  });

  it('sends 304 without a content-length', async () => {
    await start(async () => responseOf('', 304));
    const reply = await fetch(url);
    expect([reply.status, reply.headers.get('content-length')]).toEqual([304, null]);
  });

  it('sends 204 and HEAD responses without a body', async () => {
    await start(async (event) => responseOf('', event.requestContext.http.method === 'HEAD' ? 200 : 204));
    const reply = await fetch(url, { method: 'DELETE' });
    expect(reply.status).toBe(204);
    expect(reply.headers.get('content-length')).toBeNull();
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  });

  it('returns INTERNAL with the request id when a function fails, logs the error and does not reveal it', async () => {
    await start(async () => {
      throw new Error('the secret inside');
    });
    const reply = await fetch(`${url}/v1/me`);
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

  it('returns UNAVAILABLE when a function exceeds its timeout', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let entered = false;
    await start(() => {
      entered = true;
      return new Promise(() => {});
    });
    const reply = fetch(`${url}/v1/me`);
    while (!entered) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync((functions.api.timeout_seconds + 1) * 1000);
    vi.useRealTimers();
    expect((await reply).status).toBe(503);
    expect((await reply).headers.get('retry-after')).toBe('1');
    expect(await (await reply).json()).toMatchObject({ code: 'UNAVAILABLE' });
  });
});
