import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTicks } from '#infra/local/feeds/ticks.ts';
import { openStore } from '#infra/local/store/store.ts';
import type { Message, Queues } from '#lib/platform/ports.ts';
import { memoryLog } from '#test/support/log.ts';

const MINUTE = Date.parse('2026-11-21T05:16:00.000Z');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function world(at: number) {
  vi.setSystemTime(at);
  const store = openStore({ file: ':memory:', schedule: queueMicrotask });
  const sent: { queue: string; body: unknown; at: number }[] = [];
  const queues: Queues = {
    send: async (queue, messages: Message[]) => {
      for (const { body } of messages) sent.push({ queue, body, at: Date.now() });
    },
  };
  const log = memoryLog();
  return { sent, queues, log, start: () => startTicks(store, queues, { clock: { now: () => Date.now() }, log }) };
}

const times = (sent: { body: unknown }[]) => sent.map((one) => (one.body as { scheduled_time: string }).scheduled_time);

describe('startTicks', () => {
  it('sends a tick for the current minute at once, then one at each full minute', async () => {
    const { sent, start } = world(MINUTE + 12_345);
    start();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(sent).toEqual([
      { queue: 'tick', body: { scheduled_time: '2026-11-21T05:16:00.000Z' }, at: MINUTE + 12_345 },
      { queue: 'tick', body: { scheduled_time: '2026-11-21T05:17:00.000Z' }, at: MINUTE + 60_000 },
      { queue: 'tick', body: { scheduled_time: '2026-11-21T05:18:00.000Z' }, at: MINUTE + 120_000 },
    ]);
  });

  it('sends one tick a minute across restarts', async () => {
    const { sent, start } = world(MINUTE + 1000);
    for (const wait of [10_000, 20_000, 40_000]) {
      const stop = start();
      await vi.advanceTimersByTimeAsync(wait);
      stop();
    }
    expect(times(sent)).toEqual(['2026-11-21T05:16:00.000Z', '2026-11-21T05:17:00.000Z']);
  });

  it('sends no missed ticks after a pause', async () => {
    const { sent, start } = world(MINUTE);
    start();
    await vi.advanceTimersByTimeAsync(0);
    vi.setSystemTime(MINUTE + 10 * 60_000 + 500);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(times(sent).slice(0, 2)).toEqual(['2026-11-21T05:16:00.000Z', '2026-11-21T05:27:00.000Z']);
  });

  it('retries and logs a tick when the store fails', async () => {
    const { sent, start, queues, log } = world(MINUTE);
    const send = vi.spyOn(queues, 'send').mockRejectedValueOnce(new Error('disk full'));
    start();
    await vi.advanceTimersByTimeAsync(1000);
    expect(send).toHaveBeenCalledTimes(2);
    expect(times(sent)).toEqual(['2026-11-21T05:16:00.000Z']);
    expect(log.lines).toMatchObject([{ level: 'error', fields: { schedule: 'tick' } }]);
  });
});
