import { afterEach, describe, expect, it, vi } from 'vitest';
import { queueWorld } from './queue-world.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('timers of queues on SQLite', () => {
  it('does not read the store or set a timer while idle', async () => {
    const { queues, store } = queueWorld(async () => undefined);
    await queues.send('delivery', [{ body: 1 }]);
    await vi.advanceTimersByTimeAsync(1000);
    const read = vi.spyOn(store, 'read');
    const write = vi.spyOn(store, 'write');
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(read).not.toHaveBeenCalled();
    expect(write).not.toHaveBeenCalled();
  });

  it('releases a delivery that waits because the clock was set back, and keeps a job until its slot', async () => {
    const { queues } = queueWorld(async () => undefined);
    const ahead = Date.now() + 3_600_000;
    vi.setSystemTime(ahead);
    await queues.send('delivery', [{ body: 1, not_before: ahead + 60_000 }]);
    await queues.send('job', [{ body: 2, not_before: ahead + 60_000 }]);
    vi.setSystemTime(ahead - 3_600_000);
    await queues.sweep(0);
    expect(queues.nextDue('delivery')).toBe(Date.now());
    expect(queues.nextDue('job')).toBe(ahead + 60_000);
    const due = Date.now() + 14 * 60_000;
    await queues.send('plan', [{ body: 3, not_before: due }]);
    await queues.sweep(0);
    expect(queues.nextDue('plan')).toBe(due);
  });

  it('waits for a message more than 24 days ahead after the clock was set back', async () => {
    const seen: number[] = [];
    const { queues, store } = queueWorld(async () => {
      seen.push(Date.now());
    });
    const ahead = Date.now() + 40 * 86_400_000;
    vi.setSystemTime(ahead);
    await queues.send('delivery', [{ body: 1, not_before: ahead + 60_000 }]);
    vi.setSystemTime(ahead - 40 * 86_400_000);
    await queues.send('delivery', [{ body: 2 }]);
    await vi.advanceTimersByTimeAsync(1000);
    const read = vi.spyOn(store, 'read');
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(seen).toHaveLength(1);
    expect(read).not.toHaveBeenCalled();
  });

  it('sets one timer for the next due message', async () => {
    const seen: number[] = [];
    const { queues, store } = queueWorld(async () => {
      seen.push(Date.now());
    });
    const due = Date.now() + 600_000;
    await queues.send('delivery', [
      { body: 1, not_before: due },
      { body: 2, not_before: due + 60_000 },
    ]);
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(1);
    const read = vi.spyOn(store, 'read');
    await vi.advanceTimersByTimeAsync(599_999);
    expect(read).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toEqual([due]);
  });

  it('takes a message that is due before the awaited one', async () => {
    const seen: string[] = [];
    const { queues } = queueWorld(async ({ Records }) => {
      seen.push(...Records.map((record) => record.body));
    });
    await queues.send('delivery', [{ body: 'far', not_before: Date.now() + 60_000 }]);
    await queues.send('delivery', [{ body: 'near', not_before: Date.now() + 1000 }]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toEqual(['"near"']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(seen).toEqual(['"near"', '"far"']);
  });
});
