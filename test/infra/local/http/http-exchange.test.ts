import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { frontPage } from '#infra/local/http/front-page.ts';
import { functions } from '#infra/topology.ts';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';
import { echo, log, parsed, port, raw, says, start, stop, url } from './gateway.ts';

afterEach(async () => {
  vi.useRealTimers();
  await stop();
});

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

  it('has a page for browsers there, which runs nothing but its own files, under an address of its own alone', async () => {
    await start(async () => says('a function was asked', 500), echo, frontPage);
    const html = await fetch(url, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    );
    const text = await html.text();
    expect(text).not.toMatch(/<style| style=| on\w+=|<script(?![^>]* src=")/);
    for (const [, path] of text.matchAll(/(?:src|href)="(\/page[^"]*)"/g)) {
      expect((await fetch(url + path)).headers.get('content-type')).toMatch(/^text\/(javascript|css)/);
    }
    for (const path of ['/', '/page.js']) {
      const answer = await raw(
        `GET ${path} HTTP/1.1\r\nhost: evil.example\r\naccept: text/html\r\nconnection: close\r\n\r\n`,
        port,
      );
      expect(parsed(answer)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    }
  });

  it('hands cookies over beside the headers, and each that a function sets by itself', async () => {
    const cookies = ['a=1; Path=/', 'b=2; Path=/; HttpOnly'];
    await start(async ({ headers, cookies: came }) => ({ ...says(JSON.stringify([headers.cookie, came])), cookies }));
    const answer = await fetch(url, { headers: { cookie: 'x=1; y="a b";z=' } });
    expect(await answer.json()).toEqual([null, ['x=1', 'y="a b"', 'z=']]);
    expect(answer.headers.getSetCookie()).toEqual(cookies);
    expect(await (await fetch(url)).json()).toEqual([null, null]);
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
});
