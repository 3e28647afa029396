import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { makeNet } from '#lib/platform/net/node-net.ts';
import { VERSION } from '#lib/platform/version.ts';
import { closedPort, httpTarget, rawTarget } from '#test/support/socket-target.ts';
import { stalledListener } from '#test/support/stalled-listener.ts';
import { failure, get } from '#test/support/test-net.ts';

describe('one exchange', () => {
  it('sends what was asked, and who asks', async () => {
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
  ])('of %s without a body has a content-length of %s and no chunks', async (method, length) => {
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

  it('keeps the name for the Host header and goes to the address it was judged by', async () => {
    await using target = await httpTarget((req, res) => res.end(req.headers.host));
    expect((await get(`http://one.example.org:${target.port}/`)).body).toBe(`one.example.org:${target.port}`);
  });

  it('tries the next address of a name when the first refuses', async () => {
    await using target = await httpTarget((_req, res) => res.end('second'));
    expect((await get(`http://two.example.org:${target.port}/`)).body).toBe('second');
  });

  it('tries the next address of a name when the first never answers', async () => {
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

  it('takes a HEAD response, which has no body', async () => {
    await using target = await httpTarget((_req, res) => res.setHeader('content-length', 5).end());
    expect(await get(target.url, { method: 'HEAD' })).toMatchObject({
      status: 200,
      body: '',
      headers: { 'content-length': '5' },
    });
  });

  it('takes a 101 for an answer', async () => {
    await using target = await rawTarget((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n');
    });
    expect(await get(target.url)).toMatchObject({ status: 101, body: '' });
  });

  it('passes over early hints', async () => {
    await using target = await rawTarget((socket) => {
      socket.end('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
    expect(await get(target.url)).toMatchObject({ status: 200, body: 'ok' });
  });

  it('does not mind what comes behind a complete response', async () => {
    await using target = await rawTarget((socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more than was promised');
    });
    expect((await get(target.url)).body).toBe('ok');
  });

  it('takes a body that ends with the connection', async () => {
    await using target = await rawTarget((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nold but fine'));
    expect((await get(target.url)).body).toBe('old but fine');
  });

  it('reads a body in the charset that the target names', async () => {
    await using target = await httpTarget((_req, res) => {
      res.setHeader('content-type', 'text/html; charset="ISO-8859-1"').end(Buffer.from('gr\xfc\xdfe', 'latin1'));
    });
    expect((await get(target.url)).body).toBe('grüße');
  });
});

describe('the cap on the body', () => {
  it('leaves the rest of a huge body unread', async () => {
    let sent = 0;
    await using target = await httpTarget((_req, res) => {
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        while (!res.destroyed && res.write(chunk)) sent += chunk.length;
      };
      res.on('drain', more);
      more();
    });
    expect((await get(target.url, { max_body_bytes: 100_000 })).body).toHaveLength(100_000);
    expect(sent).toBeLessThan(50_000_000);
  });

  it('cuts between two characters', async () => {
    await using target = await httpTarget((_req, res) => res.end('äöü'));
    expect((await get(target.url, { max_body_bytes: 3 })).body).toBe('ä');
  });

  it('of 0 ends the exchange with the headers', async () => {
    await using target = await rawTarget((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'));
    expect(await get(target.url, { max_body_bytes: 0 })).toMatchObject({ status: 200, body: '' });
  });
});

describe('failures in plain words', () => {
  it('a refused connection', async () => {
    const port = await closedPort();
    expect(await failure(get(`http://127.77.0.1:${port}/`))).toMatchObject({
      kind: 'connect',
      answered: true,
      message: `connection refused by 127.77.0.1:${port}: nothing listens on that port`,
    });
  });

  it('all addresses of a name refuse', async () => {
    const port = await closedPort();
    expect(await failure(get(`http://two.example.org:${port}/`))).toMatchObject({
      kind: 'connect',
      answered: true,
      message: `connection refused by two.example.org:${port}: nothing listens on that port`,
    });
  });

  it.each<[string, (socket: Socket) => void, RegExp]>([
    ['closes at once', (socket) => socket.destroy(), /closed the connection without an answer$/],
    ['closes in an orderly way', (socket) => socket.end(), /closed the connection without an answer$/],
    ['resets', (socket) => socket.resetAndDestroy(), /closed the connection without an answer$/],
    [
      'breaks off the body',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'),
      /before the response was complete$/,
    ],
    [
      'resets within the body',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc');
        setTimeout(() => socket.resetAndDestroy(), 20);
      },
      /before the response was complete$/,
    ],
    [
      'breaks off its headers',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nX-A'),
      /closed the connection without an answer$/,
    ],
    ['is no HTTP server', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'), /is not valid HTTP\/1\.1 \(.+\)$/],
    [
      'answers plain HTTP with TLS',
      (socket) => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])),
      /speaks TLS: use https$/,
    ],
    [
      'sends two lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
      /is not valid HTTP/,
    ],
    [
      'sends 100 KB of headers',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`),
      /sent more than 16 KB of headers$/,
    ],
  ])('a target that %s', async (_what, onConnection, message) => {
    await using target = await rawTarget((socket) => socket.once('data', () => onConnection(socket)));
    const error = await failure(get(target.url));
    const status = error.message.includes('before the response was complete') ? 200 : 0;
    expect(error).toMatchObject({ kind: 'connect', answered: true, status });
    expect(error.message).toContain(`127.77.0.1:${target.port}`);
    expect(error.message).toMatch(message);
  });

  it('a name that does not exist', async () => {
    expect(await failure(get('http://unknown.test/'))).toMatchObject({
      kind: 'egress',
      message: 'refused: .test is a private zone, and only public hosts may be reached',
    });
    expect(await failure(get('http://unknown.test/', { egress: 'any' }))).toMatchObject({
      kind: 'dns',
      answered: false,
      message: 'the name unknown.test does not resolve (NXDOMAIN): check its spelling and its DNS zone',
    });
  });

  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://2130706433/',
    'http://mixed.example.org/',
    'ftp://one.example.org/',
    'nonsense',
    'http://a:b@127.77.0.1/',
  ])('a refused target: %s', async (url) => {
    const error = await failure(get(url));
    expect(error.kind).toBe('egress');
    expect(error.message).toMatch(/^refused: /);
  });

  it('a header that cannot be sent, without its value', async () => {
    await using target = await httpTarget((_req, res) => res.end());
    const error = await failure(get(target.url, { headers: { authorization: 'Bearer geheim\r\nx: y' } }));
    expect(error.message).toBe('the request cannot be sent: Invalid character in header content ["authorization"]');
  });
});

it('says which part of EGRESS_ALLOW is wrong', () => {
  expect(() => makeNet({ EGRESS_ALLOW: ['10.0.0.0/8', '10/8'] })).toThrow(
    'EGRESS_ALLOW: "10/8" is not a range of addresses',
  );
});

it('calls itself by the version of package.json', () => {
  expect(VERSION).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
});
