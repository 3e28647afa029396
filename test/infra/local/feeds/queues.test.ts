import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { startConsumers } from '#infra/local/feeds/consumers.ts';
import { makeQueues } from '#infra/local/feeds/queues.ts';
import { openStore } from '#infra/local/store/store.ts';
import { functions, queues as specs } from '#infra/topology.ts';
import { runUntilKilled } from '#test/infra/local/killed/killed-child.ts';
import { memoryLog } from '#test/support/log.ts';
import { queueContract } from '#test/support/queue-contract.ts';
import { clock, failAll, queueWorld } from './queue-world.ts';

const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-queues-'));
afterAll(() => rmSync(dir, { recursive: true }));
afterEach(() => {
  vi.useRealTimers();
});

queueContract('SQLite', async (consume) => {
  const store = openStore({ file: ':memory:' });
  const log = memoryLog();
  const queues = makeQueues(store, { clock, log, first_pause_ms: 5 });
  const consumers = startConsumers(queues, { deliverer: consume }, { clock, log });
  return {
    queues,
    stop: async () => {
      await consumers.stop();
      store.close();
    },
  };
});

describe('queues on SQLite', () => {
  it('keeps a message as a dead letter after its last failure, and logs it', async () => {
    const { queues, log } = queueWorld(failAll);
    await queues.send('delivery', [{ body: { delivery_id: 'dlv_1' } }]);
    // At most half a minute between two attempts.
    await vi.advanceTimersByTimeAsync(specs.delivery.max_receives * 30_000);
    expect(queues.deadLetters()).toMatchObject([
      { queue: 'delivery', body: '{"delivery_id":"dlv_1"}', receives: specs.delivery.max_receives },
    ]);
    const dead = log.lines.filter((line) => line.message.includes('dead letter'));
    expect(dead).toMatchObject([{ level: 'error', fields: { queue: 'delivery' } }]);
    expect(queues.nextDue('delivery')).toBeUndefined();
    await queues.sweep(Date.now() + 1);
    expect(queues.deadLetters()).toEqual([]);
  });

  it('doubles the pause after each failure', async () => {
    const at: number[] = [];
    const { queues } = queueWorld(async (event) => {
      at.push(Date.now());
      return failAll(event);
    });
    await queues.send('delivery', [{ body: 1 }]);
    await vi.advanceTimersByTimeAsync(40_000);
    expect(at.slice(1).map((time, i) => Math.round((time - at[i]!) / 1000))).toEqual([2, 4, 8, 16]);
  });

  it('aborts a function at its timeout and retries its batch', async () => {
    const reasons: unknown[] = [];
    const { queues, consumers } = queueWorld(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason);
            reject(signal.reason);
          });
        }),
    );
    await queues.send('delivery', [{ body: 1 }]);
    await vi.advanceTimersByTimeAsync(functions.deliverer.timeout_seconds * 1000 - 1);
    expect(reasons).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(reasons).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2000 + functions.deliverer.timeout_seconds * 1000);
    expect(reasons).toHaveLength(2);
    await consumers.stop();
  });

  it('frees the slot of a function that ignores its timeout', async () => {
    const { queues, log } = queueWorld(() => new Promise(() => {}));
    await queues.send('delivery', [{ body: 1 }]);
    await vi.advanceTimersByTimeAsync(functions.deliverer.timeout_seconds * 1000 + 1000);
    expect(log.lines.map((line) => line.message)).toContain('function failed on a message');
  });

  it('retries a message when the function names an unknown one', async () => {
    let runs = 0;
    const { queues } = queueWorld(async () => {
      runs++;
      return { batchItemFailures: runs === 1 ? [{ itemIdentifier: 'unknown' }] : [] };
    });
    await queues.send('delivery', [{ body: 1 }]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(runs).toBe(2);
    expect(queues.nextDue('delivery')).toBeUndefined();
  });

  it('finishes messages in flight when stopped, and takes no more', async () => {
    let finish = () => {};
    let runs = 0;
    const { queues, consumers } = queueWorld(() => {
      runs++;
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    await queues.send('delivery', [{ body: 1 }]);
    await vi.advanceTimersByTimeAsync(0);
    const stopped = consumers.stop();
    await queues.send('delivery', [{ body: 2 }]);
    finish();
    await stopped;
    expect(runs).toBe(1);
    expect(queues.nextDue('delivery')).toBeDefined();
  });

  it('keeps messages through a kill -9 and retries those in flight at once', async () => {
    const file = join(dir, 'killed.db');
    const acknowledged = await runUntilKilled('send-forever.ts', [file], 200);
    const store = openStore({ file });
    const log = memoryLog();
    const queues = makeQueues(store, { clock, log });
    const inFlight = store.db.prepare('SELECT count(*) AS n FROM messages WHERE in_flight = 1').get()!.n;
    expect(inFlight).toBeGreaterThan(0);
    await queues.recover();
    const seen = new Set<string>();
    const counts = new Set<string>();
    const consumers = startConsumers(
      queues,
      {
        deliverer: async ({ Records }: SQSEvent) => {
          for (const record of Records) {
            seen.add(JSON.parse(record.body));
            counts.add(record.attributes.ApproximateReceiveCount);
          }
        },
      },
      { clock, log },
    );
    await vi.waitFor(() => expect(acknowledged.filter((name) => !seen.has(name))).toEqual([]), { timeout: 10_000 });
    expect(counts).toContain('2');
    await consumers.stop();
    store.close();
  });

  it('delivers nothing after a pause of the process until the outage is recorded', async () => {
    const store = openStore({ file: ':memory:' });
    const log = memoryLog();
    const queues = makeQueues(store, { clock, log });
    const { promise, resolve } = Promise.withResolvers<void>();
    let paused: Promise<void> | undefined = promise.then(() => {
      paused = undefined;
    });
    const seen: string[] = [];
    const deliverer = async ({ Records }: SQSEvent) => void seen.push(...Records.map((record) => record.body));
    const consumers = startConsumers(queues, { deliverer }, { clock, log, afterPause: () => paused });
    await queues.send('delivery', [{ body: 'after the pause' }]);
    await new Promise((done) => setImmediate(done));
    expect(seen).toEqual([]);
    resolve();
    await vi.waitFor(() => expect(seen).toEqual(['"after the pause"']));
    await consumers.stop();
    store.close();
  });

  describe('with one tenant whose work does not end', () => {
    const slots = specs.delivery.batch * specs.delivery.concurrency;

    /** Sends deliveries of tenant a, which stay in flight until released; deliveries of other tenants end at once. */
    async function crowded(waiting: number) {
      const held: (() => void)[] = [];
      const done: string[] = [];
      const served = queueWorld(async ({ Records }) => {
        const text = JSON.parse(Records[0]!.body) as string;
        if (text.startsWith('a')) await new Promise<void>((resolve) => void held.push(resolve));
        else done.push(text);
      });
      const messages = Array.from({ length: waiting }, (_, i) => ({ body: `a${i}`, group: 'acc_a' }));
      await served.queues.send('delivery', messages);
      await vi.advanceTimersByTimeAsync(1);
      return { ...served, held, done };
    }

    it('uses all slots for its messages while no other tenant waits', async () => {
      const { held } = await crowded(2 * slots);
      expect(held).toHaveLength(slots);
    });

    it('takes messages of other tenants at once, even if many of that tenant are due before', async () => {
      const { queues, held, done } = await crowded(2 * slots);
      await queues.send('delivery', [
        { body: 'b1', group: 'acc_b' },
        { body: 'c1', group: 'acc_c' },
        { body: 'shared' },
      ]);
      await vi.advanceTimersByTimeAsync(1);
      expect(done.sort()).toEqual(['b1', 'c1', 'shared']);
      expect(held).toHaveLength(slots);
    });

    it('takes messages of other tenants when they are due, even if sent before', async () => {
      const { queues, done } = await crowded(2 * slots);
      await queues.send('delivery', [{ body: 'b1', group: 'acc_b', not_before: Date.now() + 3000 }]);
      await vi.advanceTimersByTimeAsync(2990);
      expect(done).toEqual([]);
      await vi.advanceTimersByTimeAsync(100);
      expect(done).toEqual(['b1']);
    });

    it('frees only the slots of the messages that end', async () => {
      const { held } = await crowded(slots + 5);
      held[0]!();
      held[7]!();
      await vi.advanceTimersByTimeAsync(1);
      expect(held).toHaveLength(slots + 2);
    });

    it('leaves no messages in the queue', async () => {
      const { queues, held } = await crowded(slots + 20);
      await queues.send('delivery', [{ body: 'b1', group: 'acc_b' }]);
      for (let i = 0; i < 5; i++) {
        for (const end of held.splice(0)) end();
        await vi.advanceTimersByTimeAsync(1);
      }
      expect(queues.nextDue('delivery')).toBeUndefined();
    });
  });
});
