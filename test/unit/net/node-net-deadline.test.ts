import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { makeNet } from '#lib/net/node-net.ts';
import { closedPort, httpTarget, rawTarget } from '#test/support/socket-target.ts';
import { stalledListener } from '#test/support/stalled-listener.ts';
import { failure, get } from '#test/support/test-net.ts';

describe('the deadline', () => {
  const within = { timeout_ms: 150 };
  const drip = (socket: Socket, text: string) => {
    socket.write(text);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  };

  it.each<[string, (socket: Socket) => void, string, number]>([
    ['never answers', () => {}, 'waiting for the response', 0],
    ['drips its headers', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Long: '), 'waiting for the response', 0],
    ['drips its body', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n'), 'waiting for the rest of the body', 200],
    [
      'sends early hints for ever',
      (socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 10);
        socket.on('close', () => clearInterval(timer));
      },
      'waiting for the response',
      0,
    ],
  ])(
    'ends an exchange with a target that %s, and reports the awaited step and the timeout',
    async (_what, onConnection, stage, status) => {
      await using target = await rawTarget(onConnection);
      const error = await failure(get(target.url, within));
      expect(error).toMatchObject({ kind: 'timeout', answered: false, status });
      expect(error.message).toContain('no answer within 150 ms (');
      expect(error.message).toContain(stage);
      // Timers count in whole milliseconds.
      expect(error.latency_ms).toBeGreaterThanOrEqual(149);
    },
  );

  it('ends an unanswered connection attempt', async () => {
    await using stalled = await stalledListener();
    const error = await failure(get(`http://${stalled.host}:${stalled.port}/`, within));
    expect(error.message).toBe(`no answer within 150 ms (connecting to ${stalled.host}:${stalled.port})`);
  });

  it('ends an unanswered lookup, and does not connect when its response arrives late', async () => {
    await using target = await httpTarget((_req, res) => res.end());
    let answered = () => {};
    const slowNet = makeNet(
      { EGRESS_ALLOW: ['127.77.0.0/16'] },
      () =>
        new Promise((resolve) => {
          answered = () => resolve(['127.77.0.1']);
        }),
    );
    const error = await failure(
      slowNet.http({
        url: `http://slow.example.org:${target.port}/`,
        method: 'GET',
        max_body_bytes: 1,
        egress: 'public',
        max_redirects: 0,
        ...within,
      }),
    );
    expect(error.message).toBe('no answer within 150 ms (looking up slow.example.org)');
    answered();
    await sleep(20);
    expect(target.connections()).toBe(0);
  });

  it('covers all redirects together', async () => {
    let hops = 0;
    await using target = await httpTarget((_req, res) => {
      setTimeout(() => res.writeHead(302, { location: `/${++hops}` }).end(), 60);
    });
    expect(await failure(get(target.url, { ...within, max_redirects: 50 }))).toMatchObject({ kind: 'timeout' });
    expect(hops).toBeLessThan(5);
  });

  it('leaves no socket and no timer open', async () => {
    const count = (kind: string) => process.getActiveResourcesInfo().filter((name) => name === kind).length;
    const sockets = () => count('TCPSocketWrap');
    // Sockets of earlier tests may still be open.
    await expect.poll(sockets).toBe(0);
    const timers = count('Timeout');
    const silent = await rawTarget(() => {});
    const answering = await httpTarget((_req, res) => res.end('ok'));
    await Promise.allSettled([
      get(silent.url, { timeout_ms: 40 }),
      get(answering.url),
      get(`http://127.77.0.1:${await closedPort()}/`),
      get('http://unknown.test/'),
    ]);
    await silent[Symbol.asyncDispose]();
    await answering[Symbol.asyncDispose]();
    await expect.poll(sockets).toBe(0);
    await expect.poll(() => count('Timeout')).toBeLessThanOrEqual(timers);
  });
});
