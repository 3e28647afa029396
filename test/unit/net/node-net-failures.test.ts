import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { closedPort, httpTarget, rawTarget } from '#test/support/socket-target.ts';
import { failure, get } from '#test/support/test-net.ts';

describe('the body limit', () => {
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

  it('ends the exchange after the headers if it is 0', async () => {
    await using target = await rawTarget((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'));
    expect(await get(target.url, { max_body_bytes: 0 })).toMatchObject({ status: 200, body: '' });
  });
});

describe('failure messages', () => {
  it('describe a refused connection', async () => {
    const port = await closedPort();
    expect(await failure(get(`http://127.77.0.1:${port}/`))).toMatchObject({
      kind: 'connect',
      answered: true,
      message: `connection refused by 127.77.0.1:${port}: nothing listens on that port`,
    });
  });

  it('describe a name whose addresses all refuse the connection', async () => {
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
    ['is not an HTTP server', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'), /is not valid HTTP\/1\.1 \(.+\)$/],
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
  ])('describe a target that %s', async (_what, onConnection, message) => {
    await using target = await rawTarget((socket) => socket.once('data', () => onConnection(socket)));
    const error = await failure(get(target.url));
    const status = error.message.includes('before the response was complete') ? 200 : 0;
    expect(error).toMatchObject({ kind: 'connect', answered: true, status });
    expect(error.message).toContain(`127.77.0.1:${target.port}`);
    expect(error.message).toMatch(message);
  });

  it('describe a name in a private zone, and a missing name if private zones are allowed', async () => {
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
  ])('describe a refused target: %s', async (url) => {
    const error = await failure(get(url));
    expect(error.kind).toBe('egress');
    expect(error.message).toMatch(/^refused: /);
  });

  it('name an invalid header but do not reveal its value', async () => {
    await using target = await httpTarget((_req, res) => res.end());
    const error = await failure(get(target.url, { headers: { authorization: 'Bearer geheim\r\nx: y' } }));
    expect(error.message).toBe('the request cannot be sent: Invalid character in header content ["authorization"]');
  });
});
