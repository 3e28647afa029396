import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { VERSION } from '#lib/platform/version.ts';
import { httpTarget, rawTarget } from '#test/support/socket-target.ts';
import { stalledListener } from '#test/support/stalled-listener.ts';
import { get } from '#test/support/test-net.ts';

const MB = 1024 * 1024;

describe('an http request', () => {
  it('sends the given data and the User-Agent of the service', async () => {
    await using target = await httpTarget((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk) => chunks.push(chunk));
      req.on('end', () => {
        res.setHeader('X-Twice', ['a', 'b']);
        res.setHeader('Set-Cookie', ['c=1', 'd=2']);
        res.statusCode = 207;
        res.end(
          JSON.stringify({ method: req.method, url: req.url, headers: req.headers, body: `${Buffer.concat(chunks)}` }),
        );
      });
    });
    const reply = await get(`${target.url}/a%20b?c=d`, {
      method: 'POST',
      body: 'grüße',
      headers: { 'X-Own': '1', Accept: 'text/plain' },
    });
    expect(reply).toMatchObject({ status: 207, headers: { 'x-twice': 'a, b', 'set-cookie': 'c=1, d=2' } });
    expect(reply.latency_ms).toBeGreaterThanOrEqual(0);
    expect(JSON.parse(reply.body)).toEqual({
      method: 'POST',
      url: '/a%20b?c=d',
      body: 'grüße',
      headers: {
        host: `${target.host}:${target.port}`,
        'user-agent': `Fleetwatch/${VERSION}`,
        accept: 'text/plain',
        'accept-encoding': 'identity',
        connection: 'close',
        'content-length': '7',
        'x-own': '1',
      },
    });
  });

  it.each([
    ['GET', undefined],
    ['HEAD', undefined],
    ['DELETE', undefined],
    ['OPTIONS', undefined],
    ['POST', '0'],
    ['PUT', '0'],
    ['PATCH', '0'],
  ])('has, with %s and without a body, the content-length %s and no chunks', async (method, length) => {
    let seen: IncomingHttpHeaders = {};
    await using target = await httpTarget((req, res) => {
      seen = req.headers;
      res.end();
    });
    await get(target.url, { method });
    expect(seen['content-length']).toBe(length);
    expect(seen['transfer-encoding']).toBeUndefined();
  });

  it('opens a new connection each time', async () => {
    await using target = await httpTarget((_req, res) => res.end('ok'));
    await get(target.url);
    await get(target.url);
    expect(target.connections()).toBe(2);
  });

  it('keeps the name in the Host header and connects to the checked address', async () => {
    await using target = await httpTarget((req, res) => res.end(req.headers.host));
    expect((await get(`http://one.example.org:${target.port}/`)).body).toBe(`one.example.org:${target.port}`);
  });

  it('tries the next address of a name if the first refuses', async () => {
    await using target = await httpTarget((_req, res) => res.end('second'));
    expect((await get(`http://two.example.org:${target.port}/`)).body).toBe('second');
  });

  it('tries the next address of a name if the first does not respond', async () => {
    await using stalled = await stalledListener('127.77.0.3');
    await using target = await rawTarget(
      (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'),
      '127.77.0.1',
      stalled.port,
    );
    expect(await get(`http://two.example.org:${target.port}/`)).toMatchObject({ status: 204 });
  });

  it('reaches an IPv6 address', async () => {
    await using target = await httpTarget((_req, res) => res.end('six'), '::1');
    expect((await get(target.url, { egress: 'any' })).body).toBe('six');
  });

  it('accepts a HEAD response without a body', async () => {
    await using target = await httpTarget((_req, res) => res.setHeader('content-length', 5).end());
    expect(await get(target.url, { method: 'HEAD' })).toMatchObject({
      status: 200,
      body: '',
      headers: { 'content-length': '5' },
    });
  });

  it('accepts a 101 as a response', async () => {
    await using target = await rawTarget((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n');
    });
    expect(await get(target.url)).toMatchObject({ status: 101, body: '' });
  });

  it('ignores early hints', async () => {
    await using target = await rawTarget((socket) => {
      socket.end('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
    expect(await get(target.url)).toMatchObject({ status: 200, body: 'ok' });
  });

  it('ignores data after a complete response', async () => {
    await using target = await rawTarget((socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more than was promised');
    });
    expect((await get(target.url)).body).toBe('ok');
  });

  it('accepts a body that ends with the connection', async () => {
    await using target = await rawTarget((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nold but fine'));
    expect((await get(target.url)).body).toBe('old but fine');
  });

  it('reads a body in the charset of the target', async () => {
    await using target = await httpTarget((_req, res) => {
      res.setHeader('content-type', 'text/html; charset="ISO-8859-1"').end(Buffer.from('gr\xfc\xdfe', 'latin1'));
    });
    expect((await get(target.url)).body).toBe('grüße');
  });

  it('waits for memory before it keeps more than 64 KB of a body, and omits the wait from the latency', async () => {
    const body = 'x'.repeat(500_000);
    await using target = await httpTarget((_req, res) => res.end(body));
    const asked = Promise.withResolvers<number>();
    const room = Promise.withResolvers<void>();
    const began = performance.now();
    let isOver = false;
    const replied = get(target.url, {
      max_body_bytes: MB,
      reads_on: true,
      waitForMemory: () => {
        asked.resolve(performance.now());
        return room.promise;
      },
    }).finally(() => {
      isOver = true;
    });
    const since = await asked.promise;
    await pause(200);
    expect(isOver).toBe(false);
    const waited = performance.now() - since;
    room.resolve();
    const reply = await replied;
    expect(reply).toMatchObject({ body, kept: { bytes: body.length, goes_on: false } });
    expect(reply.latency_ms).toBeLessThanOrEqual(Math.ceil(performance.now() - began - waited));
  });

  it('does not wait for memory for a small body or one that is not kept', async () => {
    const waitForMemory = () => Promise.reject(new Error('must not be called'));
    await using target = await httpTarget((req, res) => res.end('x'.repeat(req.url === '/small' ? 65_536 : 500_000)));
    expect((await get(`${target.url}/small`, { waitForMemory, max_body_bytes: MB })).body).toHaveLength(65_536);
    expect((await get(target.url, { waitForMemory, max_body_bytes: MB, find: { texts: ['y'] } })).search).toEqual({
      found: [],
      bytes: 500_000,
    });
  });
});
