import { createHash } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { readSettings } from '#lib/settings.ts';
import { selfSigned } from '#test/support/certificates.ts';
import { peerPython, startWebsocket } from '#test/support/peers/peers.ts';
import { probeCheck } from '#test/support/probe-check.ts';
import { probeWorld } from '#test/support/probe-world.ts';
import { httpTarget, rawTarget, type Target } from '#test/support/socket-target.ts';
import { httpsTarget } from '#test/support/tls-server.ts';

const world = probeWorld({ timeout_ms: 2_000 });
const probe = (url: string, config: object = {}, given = world) =>
  probeCheck({ check_type: 'websocket', config: { url: url.replace(/^http/, 'ws'), ...config } }, given);

const GOOD = { success: true, error_kind: null, error_message: '' };
const wrong = (error_message: string | RegExp) => ({
  success: false,
  error_kind: 'protocol',
  error_message: typeof error_message === 'string' ? error_message : expect.stringMatching(error_message),
});

type OnSocket = (socket: WebSocket, request: IncomingMessage) => void;

/** Returns a setup that accepts WebSockets on an HTTP server and calls `onSocket` for each. */
const acceptingWebsockets = (onSocket: OnSocket) => (server: Server) => {
  const handleProtocols = (offered: Set<string>) => offered.has('chat') && 'chat';
  new WebSocketServer({ server, handleProtocols }).on('connection', onSocket);
};

const websocketTarget = (onSocket: OnSocket): Promise<Target> =>
  httpTarget(() => {}, undefined, acceptingWebsockets(onSocket));

/**
 * Starts a server that completes a valid upgrade, then calls `then` with the raw connection.
 * @param headers further headers of the upgrade response
 */
const upgraded = (then: (socket: Socket) => void, headers = '') =>
  rawTarget((socket) => {
    socket.once('data', (request) => {
      const key = /sec-websocket-key: (\S+)/i.exec(String(request))![1];
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${headers}\r\n`,
      );
      then(socket);
    });
  });

describe('a websocket check', () => {
  it('succeeds if the server accepts the connection, and closes the connection', async () => {
    const closed = Promise.withResolvers<number>();
    await using target = await websocketTarget((socket) => socket.on('close', closed.resolve));
    expect(await probe(target.url)).toMatchObject(GOOD);
    expect(await closed.promise).toBe(1000);
  });

  it('sends a message and waits for a matching response among other messages', async () => {
    await using target = await websocketTarget((socket) => {
      socket.send('welcome');
      socket.on('message', (said) => socket.send(`pong of ${said}, für alle`));
    });
    expect(await probe(target.url, { send: 'ping', expect: 'für alle' })).toMatchObject(GOOD);
    expect(await probe(target.url, { send: 'ping', expect: 'nothing' }, probeWorld({ timeout_ms: 300 }))).toMatchObject(
      wrong('expected a message to contain "nothing", got "pong of ********, für alle" (23 bytes)'),
    );
  });

  it('sends its headers and requests its subprotocol', async () => {
    const asked: IncomingMessage['headers'][] = [];
    await using target = await websocketTarget((_, request) => asked.push(request.headers));
    expect(await probe(target.url, { headers: { 'X-Token': 'abc' }, subprotocol: 'chat' })).toMatchObject(GOOD);
    expect(asked[0]).toMatchObject({ 'x-token': 'abc', 'user-agent': expect.stringContaining('Fleetwatch') });
    expect(await probe(target.url, { subprotocol: 'mqtt' })).toMatchObject(
      wrong(/^it does not support the subprotocol mqtt /),
    );
  });

  it('succeeds when a message matches a regular expression', async () => {
    await using target = await websocketTarget((socket) => socket.send('{"price": 12.5}'));
    expect(await probe(target.url, { matches: '"price": \\d+\\.\\d' })).toMatchObject(GOOD);
    expect(await probe(target.url, { matches: '^pong$' }, probeWorld({ timeout_ms: 300 }))).toMatchObject(
      wrong('expected a message to match "^pong$", got "{\\"price\\": 12.5}" (15 bytes)'),
    );
  });

  it('finds text in a binary message', async () => {
    await using target = await websocketTarget((socket) => socket.send(Buffer.from('\u0000ready\u0001')));
    expect(await probe(target.url, { expect: 'ready' })).toMatchObject(GOOD);
  });

  it('uses TLS and verifies the certificate', async () => {
    await using target = await httpsTarget(
      await selfSigned(['127.77.0.1']),
      () => {},
      undefined,
      acceptingWebsockets((socket) => socket.send('hello')),
    );
    expect(await probe(target.url)).toMatchObject({
      error_kind: 'tls',
      error_message: expect.stringContaining('self-signed'),
    });
    expect(await probe(target.url, { verify_tls: false, expect: 'hello' })).toMatchObject(GOOD);
  });

  it('connects only where the egress guard allows it', async () => {
    await using inside = await httpTarget(() => {}, '127.0.0.1');
    expect(await probe(inside.url)).toMatchObject({ success: false, error_kind: 'egress' });
    expect(inside.connections()).toBe(0);
    const resolving = {
      ...probeWorld({ resolve: async () => ['127.0.0.1'] }),
      settings: readSettings({ CHECK_EGRESS: 'public' }),
    };
    expect(await probe(`ws://live.example.org:${inside.port}/`, {}, resolving)).toMatchObject({ error_kind: 'egress' });
    expect(inside.connections()).toBe(0);
  });
});

describe('a websocket check of a faulty server', () => {
  it('reports the status of a path that does not accept websockets', async () => {
    await using target = await httpTarget((_, response) => response.end('hello'));
    expect(await probe(target.url)).toMatchObject(
      wrong('the server answered 200 (OK) instead of 101: it did not open a websocket'),
    );
  });

  it('does not follow a redirect', async () => {
    await using target = await httpTarget((_, response) => response.writeHead(302, { location: '/live' }).end());
    expect(await probe(target.url)).toMatchObject(wrong(/^the server answered 302 \(Found\) instead of 101/));
    expect(target.connections()).toBe(1);
  });

  it('reports an invalid upgrade', async () => {
    await using target = await rawTarget((socket) => {
      socket.once('data', () =>
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: abc\r\n\r\n',
        ),
      );
    });
    expect(await probe(target.url)).toMatchObject(wrong(/^its upgrade response is not valid /));
  });

  it('reports a subprotocol that was not requested', async () => {
    await using target = await upgraded(() => {}, 'Sec-WebSocket-Protocol: chat\r\n');
    expect(await probe(target.url)).toMatchObject(wrong(/^it selected a subprotocol although none was requested /));
  });

  it('reports a server of another protocol', async () => {
    await using target = await rawTarget((socket) => void socket.end('SSH-2.0-OpenSSH\r\n'));
    expect(await probe(target.url)).toMatchObject({
      error_kind: 'connect',
      error_message: expect.stringContaining('is not valid HTTP/1.1'),
    });
  });

  it('stops reading at an announced frame of 1 GB', async () => {
    await using target = await upgraded((socket) => {
      const head = Buffer.from([0x82, 127, 0, 0, 0, 0, 0x40, 0, 0, 0]);
      socket.write(head);
    });
    expect(await probe(target.url, { expect: 'ready' })).toMatchObject(wrong('it sent a message of more than 64 KB'));
  });

  it('stops reading a gigabyte in small frames', async () => {
    await using target = await upgraded((socket) => {
      const frame = Buffer.concat([Buffer.from([0x00, 126, 0x10, 0x00]), Buffer.alloc(4096, 'x')]);
      const first = Buffer.concat([Buffer.from([0x01, 126, 0x10, 0x00]), Buffer.alloc(4096, 'x')]);
      socket.write(first);
      const more = setInterval(() => socket.write(frame), 1);
      socket.on('close', () => clearInterval(more));
    });
    expect(await probe(target.url, { expect: 'ready' })).toMatchObject(wrong('it sent a message of more than 64 KB'));
  });

  it('gives up after 1,000 messages without a match', async () => {
    await using target = await upgraded((socket) => {
      const frames = Buffer.concat(Array.from({ length: 500 }, () => Buffer.from([0x81, 2, 0x68, 0x69])));
      const more = setInterval(() => socket.write(frames), 1);
      socket.on('close', () => clearInterval(more));
    });
    expect(await probe(target.url, { expect: 'ready' })).toMatchObject(
      wrong('expected a message to contain "ready", got "hi" (2 bytes)'),
    );
  });

  it('does not answer endless pings, and gives up after 1 MB', async () => {
    let answered = 0;
    await using target = await upgraded((socket) => {
      const pings = Buffer.concat(
        Array.from({ length: 1_000 }, () => Buffer.concat([Buffer.from([0x89, 100]), Buffer.alloc(100)])),
      );
      const more = setInterval(() => socket.write(pings), 1);
      socket.on('close', () => clearInterval(more));
      socket.on('data', (piece) => {
        answered += piece.length;
      });
    });
    expect(await probe(target.url, { expect: 'ready' })).toMatchObject(wrong('it sent more than 1 MB without a match'));
    expect(answered).toBe(0);
  });

  it('reports a protocol error', async () => {
    await using target = await upgraded((socket) => void socket.write(Buffer.from([0xff, 0x00])));
    expect(await probe(target.url, { expect: 'ready' })).toMatchObject(wrong(/^it sent invalid data: /));
  });

  it('quotes the reason of a closed connection', async () => {
    await using target = await websocketTarget((socket) => socket.close(1008, 'who are you'));
    expect(await probe(target.url, { expect: 'ready' })).toMatchObject({
      ...wrong('it closed the connection (1008, "who are you") after 0 messages'),
      interrupted: true,
    });
  });

  it('waits for a silent server until the timeout', async () => {
    await using silent = await rawTarget(() => {});
    const short = probeWorld({ timeout_ms: 200 });
    expect(await probe(silent.url, {}, short)).toMatchObject({
      error_kind: 'timeout',
      error_message: expect.stringContaining('waiting for the upgrade response'),
    });
    await using upgradesOnly = await websocketTarget(() => {});
    expect(await probe(upgradesOnly.url, { expect: 'a' }, short)).toMatchObject({
      error_kind: 'timeout',
      error_message: expect.stringContaining('waiting for a message'),
    });
  });

  it('redacts sent data that the server repeats', async () => {
    await using target = await websocketTarget((socket) =>
      socket.on('message', (said) => socket.close(1008, `no ${said}`)),
    );
    const outcome = await probe(target.url, { send: 'token hush-hush-hush', expect: 'ready' });
    expect(outcome.error_message).not.toContain('hush-hush');
    expect(outcome.error_message).toContain('********');
  });
});

describe.skipIf(!peerPython())('a real server of another library (websockets)', () => {
  let peer: Awaited<ReturnType<typeof startWebsocket>>;
  beforeAll(async () => {
    peer = await startWebsocket();
  });
  afterAll(() => peer[Symbol.asyncDispose]());

  it('greets, responds and supports a subprotocol', async () => {
    const url = `ws://${peer.host}:${peer.port}/`;
    expect(await probe(url, { expect: 'welcome', subprotocol: 'chat' })).toMatchObject(GOOD);
    expect(await probe(url, { send: 'ping', expect: 'pong', subprotocol: 'chat' })).toMatchObject(GOOD);
    for (const config of [{}, { subprotocol: 'mqtt' }]) {
      expect(await probe(url, config)).toMatchObject(wrong(/^the server answered 400 \(Bad Request\) instead of 101/));
    }
  });
});
