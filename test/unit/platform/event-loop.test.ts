import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { loopMeter } from '#lib/platform/clock.ts';
import { get } from '#test/support/test-net.ts';

/** Holds the event loop of this process for so long (ms). */
const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('the meter of the event loop', () => {
  it('measures a standstill once, at once and afterwards', async () => {
    const meter = loopMeter();
    const unwatch = meter.watch();
    const before = meter.stalled();
    standStill(300);
    expect(meter.stalled() - before).toBeGreaterThan(200);
    await sleep(120);
    const after = meter.stalled() - before;
    expect(after).toBeGreaterThan(200);
    unwatch();
    expect(meter.stalled() - before).toBeGreaterThanOrEqual(after);
    expect(after).toBeLessThan(600);
  });

  it('measures nothing while nobody watches, and goes on until the last one has ended', () => {
    const meter = loopMeter();
    const [one, other] = [meter.watch(), meter.watch()];
    one();
    standStill(200);
    other();
    const watched = meter.stalled();
    expect(watched).toBeGreaterThan(100);
    standStill(200);
    expect(meter.stalled()).toBe(watched);
  });
});

/** Answers once the test holds its event loop, says so to it, and keeps the connection open. */
const TARGET = `
  const { parentPort, workerData: signs } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      parentPort.postMessage('asked');
      Atomics.wait(signs, 0, 0);
      const answered = () => Atomics.notify(signs, 1, Atomics.store(signs, 1, 1));
      socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok', answered);
    });
  });
  server.listen(0, '127.77.0.1', () => parentPort.postMessage(server.address().port));
`;

it('an answer that has come while this process stood still wins over a deadline that has passed meanwhile', async () => {
  const signs = new Int32Array(new SharedArrayBuffer(8));
  const target = new Worker(TARGET, { eval: true, workerData: signs });
  const said = () => new Promise<unknown>((resolve) => target.once('message', resolve));
  try {
    const port = await said();
    const timeout_ms = 1000;
    const begun = performance.now();
    const exchange = get(`http://127.77.0.1:${port}/`, { timeout_ms });
    expect(await said()).toBe('asked');
    // Behind what is done at once come the timers, and only then the sockets.
    await turn();
    Atomics.notify(signs, 0, Atomics.store(signs, 0, 1));
    Atomics.wait(signs, 1, 0);
    standStill(begun + timeout_ms + 100 - performance.now());
    expect(await exchange).toMatchObject({ status: 200, body: 'ok' });
  } finally {
    await target.terminate();
  }
});
