import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { loopMeter } from '#lib/platform/clock.ts';
import { get } from '#test/support/test-net.ts';

/** Blocks the event loop of this process for `ms`. */
const stallFor = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('loopMeter', () => {
  it('measures a stall immediately, and only once', async () => {
    const meter = loopMeter();
    const unwatch = meter.watch();
    const before = meter.stalled();
    stallFor(300);
    expect(meter.stalled() - before).toBeGreaterThan(200);
    await sleep(120);
    const after = meter.stalled() - before;
    expect(after).toBeGreaterThan(200);
    unwatch();
    expect(meter.stalled() - before).toBeGreaterThanOrEqual(after);
    expect(after).toBeLessThan(600);
  });

  it('measures only while something is watched, until the last watch ends', () => {
    const meter = loopMeter();
    const [one, other] = [meter.watch(), meter.watch()];
    one();
    stallFor(200);
    other();
    const watched = meter.stalled();
    expect(watched).toBeGreaterThan(100);
    stallFor(200);
    expect(meter.stalled()).toBe(watched);
  });
});

/** Code of a target in another thread: it responds while the event loop of the test is blocked, then sets flag 1. */
const TARGET = `
  const { parentPort, workerData: flags } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      parentPort.postMessage('asked');
      Atomics.wait(flags, 0, 0);
      const answered = () => Atomics.notify(flags, 1, Atomics.store(flags, 1, 1));
      socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok', answered);
    });
  });
  server.listen(0, '127.77.0.1', () => parentPort.postMessage(server.address().port));
`;

it('prefers a response received during a stall to the deadline that passed in it', async () => {
  const flags = new Int32Array(new SharedArrayBuffer(8));
  const target = new Worker(TARGET, { eval: true, workerData: flags });
  const said = () => new Promise<unknown>((resolve) => target.once('message', resolve));
  try {
    const port = await said();
    const timeout_ms = 1000;
    const begun = performance.now();
    const exchange = get(`http://127.77.0.1:${port}/`, { timeout_ms });
    expect(await said()).toBe('asked');
    // After immediates, the event loop runs timers before sockets, so it handles the deadline before the response.
    await turn();
    Atomics.notify(flags, 0, Atomics.store(flags, 0, 1));
    Atomics.wait(flags, 1, 0);
    stallFor(begun + timeout_ms + 100 - performance.now());
    expect(await exchange).toMatchObject({ status: 200, body: 'ok' });
  } finally {
    await target.terminate();
  }
});
