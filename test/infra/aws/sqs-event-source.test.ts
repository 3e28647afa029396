import { describe, expect, it } from 'vitest';
import { hiddenSeconds, queues as specs } from '#infra/topology.ts';
import type { BatchReply } from '#lib/platform/batch.ts';
import { type SqsWorld, sqsEventSource } from '#test/support/sqs-event-source.ts';
import { makeClock } from '#test/support/virtual-clock.ts';

const { batch: size, concurrency, max_receives } = specs.delivery;
const pollers = () => ({ min: 2, max: concurrency, every_ms: 0 });

/** Runs one queue in virtual time; records the time and the message ids of each batch. */
async function fed(run: (names: string[]) => Promise<BatchReply | undefined>, more: Partial<SqsWorld> = {}) {
  const clock = makeClock(0);
  const batches: { at: number; names: string[] }[] = [];
  const dead: string[] = [];
  const source = sqsEventSource('delivery', {
    clock,
    pollers,
    run: async (_queue, _batch, records) => {
      const names = records.map(({ messageId }) => messageId);
      batches.push({ at: clock.now(), names });
      return run(names);
    },
    onDeadLetter: (_queue, { body }) => dead.push(body),
    ...more,
  });
  source.start();
  await clock.runUntil(0);
  return { clock, source, batches, dead };
}

const nothing: BatchReply = { batchItemFailures: [] };

describe('emulated SQS event source', () => {
  it('hides a failed message for its visibility timeout, and dead-letters it after its last receive', async () => {
    const hidden = hiddenSeconds('delivery') * 1000;
    const { clock, source, batches, dead } = await fed(async () => undefined);
    source.send('"m"', 0);
    await clock.runUntil(2 * hidden);
    expect(batches.map(({ at }) => at)).toEqual([0, hidden, 2 * hidden]);
    await clock.runUntil(max_receives * hidden);
    expect(batches).toHaveLength(max_receives);
    expect(dead).toEqual(['"m"']);
  });

  it('retries a whole batch if the response names an unknown message, as Lambda does', async () => {
    const { clock, source, batches } = await fed(async () => ({ batchItemFailures: [{ itemIdentifier: 'x' }] }));
    source.send('1', 0);
    await clock.runUntil(hiddenSeconds('delivery') * 1000);
    expect(batches).toHaveLength(2);
  });

  it('passes a message to a waiting poller, and later ones as a batch', async () => {
    const { clock, source, batches } = await fed(
      async () => {
        await clock.sleep(100);
        return nothing;
      },
      { pollers: () => ({ min: 1, max: 1, every_ms: 0 }) },
    );
    for (let n = 0; n < size + 3; n++) source.send(String(n), n);
    await clock.runUntil(1000);
    expect(batches.map(({ names }) => names.length)).toEqual([1, size, 2]);
  });

  it('adds one poller at a time while messages wait, up to the maximum', async () => {
    let running = 0;
    let most = 0;
    const { clock, source, batches } = await fed(
      async () => {
        most = Math.max(most, ++running);
        await clock.sleep(1000);
        running--;
        return nothing;
      },
      { pollers: () => ({ min: 1, max: 3, every_ms: 200 }), take: (_, waiting) => waiting.splice(0, 1) },
    );
    for (let n = 0; n < 5; n++) source.send(String(n), 0);
    await clock.runUntil(5000);
    expect(batches.map(({ at }) => at)).toEqual([0, 200, 400, 1000, 1200]);
    expect(most).toBe(3);
  });

  it('counts empty receives, and ends a surplus poller', async () => {
    let idle = 0;
    const slow = async () => {
      await clock.sleep(100);
      return nothing;
    };
    const { clock, source, batches } = await fed(slow, {
      pollers: () => ({ min: 1, max: 2, every_ms: 0 }),
      long_poll_ms: 20_000,
      onIdle: () => idle++,
    });
    await clock.runUntil(60_000);
    expect(idle).toBe(3);
    source.send('1', 0);
    source.send('2', 0);
    await clock.runUntil(120_000);
    expect(batches).toHaveLength(2);
    // Both pollers receive nothing until 80.1 s; one ends, and the other receives nothing again until 100.1 s.
    expect(idle).toBe(3 + 2 + 1);
  });

  it('delivers nothing while it is closed, and all waiting messages when it opens', async () => {
    let isOpen = false;
    const { clock, source, batches } = await fed(async () => nothing, { isOpen: () => isOpen });
    for (let n = 0; n < size; n++) source.send(String(n), 0);
    await clock.runUntil(1000);
    expect(batches).toEqual([]);
    isOpen = true;
    source.wake();
    await clock.runUntil(1000);
    expect(batches.map(({ at, names }) => [at, names.length])).toEqual([[1000, size]]);
  });
});
