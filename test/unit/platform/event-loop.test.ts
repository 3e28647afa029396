import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { loopMeter } from '#lib/platform/event-loop.ts';
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

/** Answers the first request at once, says so to whoever holds the loop of the test, and keeps the connection open. */
const TARGET = `
  const { parentPort, workerData } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      parentPort.postMessage('asked');
      // The test stands still by now or soon; its deadline has not come yet.
      socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok', () => Atomics.notify(workerData, 0, Atomics.store(workerData, 0, 1)));
    });
  });
  server.listen(0, '127.77.0.1', () => parentPort.postMessage(server.address().port));
`;

it('an answer that has come while this process stood still wins over a deadline that has passed meanwhile', async () => {
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const target = new Worker(TARGET, { eval: true, workerData: answered });
  try {
    const port = await new Promise<number>((resolve) => target.once('message', resolve));
    const timeout_ms = 400;
    const begun = performance.now();
    const exchange = get(`http://127.77.0.1:${port}/`, { timeout_ms });
    // Its request is out within some turns; then the loop is held until the answer has come and the time is over.
    await sleep(100);
    Atomics.wait(answered, 0, 0);
    standStill(begun + timeout_ms + 100 - performance.now());
    expect(await exchange).toMatchObject({ status: 200, body: 'ok' });
  } finally {
    await target.terminate();
  }
});
