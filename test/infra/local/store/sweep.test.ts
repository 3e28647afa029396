import { afterEach, describe, expect, it, vi } from 'vitest';
import { makePorts } from '#infra/local/ports.ts';
import { readHostSettings } from '#infra/local/settings.ts';
import { openStore } from '#infra/local/store/store.ts';
import { startSweep } from '#infra/local/store/sweep.ts';
import { memoryLog } from '#test/support/log.ts';

const DAY_MS = 86_400_000;

afterEach(() => {
  vi.useRealTimers();
});

function world() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const log = memoryLog();
  const store = openStore({ file: ':memory:', schedule: queueMicrotask });
  const ports = makePorts(store, { settings: readHostSettings({}).settings, log, inTurn: (_, begin) => begin() });
  return { store, log, ports };
}

describe('startSweep', () => {
  it('deletes any number of expired items within a minute and keeps the rest', async () => {
    const { ports, log } = world();
    const now = Math.floor(Date.now() / 1000);
    const old = Array.from({ length: 350 }, (_, i) => ({ pk: 'p', sk: `old-${i}`, expires_at: now - 1 }));
    await ports.table.putMany([...old, { pk: 'p', sk: 'young', expires_at: now + 3600 }, { pk: 'p', sk: 'for ever' }]);
    let woken = 0;
    const stop = startSweep(ports, log, () => woken++);
    await vi.advanceTimersByTimeAsync(61_000);
    stop();
    expect((await ports.table.query({ partition: 'p' })).items.map((item) => item.sk)).toEqual(['for ever', 'young']);
    expect(woken).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('deletes dead letters after two weeks', async () => {
    const { ports, store, log } = world();
    await ports.queues.send('delivery', [{ body: 1 }]);
    store.db.prepare('UPDATE messages SET dead_at = ?').run(Date.now());
    const stop = startSweep(ports, log, () => {});
    await vi.advanceTimersByTimeAsync(61_000);
    expect(ports.queues.deadLetters()).toHaveLength(1);
    vi.setSystemTime(Date.now() + 14 * DAY_MS);
    await vi.advanceTimersByTimeAsync(61_000);
    expect(ports.queues.deadLetters()).toEqual([]);
    stop();
  });

  it('continues at the next minute after the store failed', async () => {
    const { ports, log } = world();
    const sweep = vi.spyOn(ports.table, 'sweep').mockRejectedValueOnce(new Error('disk full'));
    const stop = startSweep(ports, log, () => {});
    await vi.advanceTimersByTimeAsync(121_000);
    stop();
    expect(sweep).toHaveBeenCalledTimes(2);
    expect(log.lines).toMatchObject([{ level: 'error' }]);
  });
});

describe('event bus', () => {
  it('logs each event and keeps the last hundred', async () => {
    const { ports, log } = world();
    await ports.bus.publish(Array.from({ length: 120 }, (_, n) => ({ detail_type: 'state_change', detail: { n } })));
    expect(log.lines).toHaveLength(120);
    expect(ports.bus.recent.map((event) => event.detail)).toEqual(
      Array.from({ length: 100 }, (_, i) => ({ n: i + 20 })),
    );
  });
});
