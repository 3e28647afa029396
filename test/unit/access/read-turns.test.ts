import { describe, expect, it } from 'vitest';
import { withReadPermit } from '#lib/access/rate-gate.ts';
import type { Ports } from '#lib/env.ts';
import type { AppError } from '#lib/platform/errors.ts';
import { memoryLimiter } from '#lib/platform/sharing/memory-limiter.ts';

/** Returns functions that start reads, which end on demand. */
function world() {
  let now = 0;
  let wake = () => {};
  const clock = { now: () => now, sleep: () => new Promise<void>((done) => (wake = done)), stalled: () => 0 };
  const ports = { clock, limiter: memoryLimiter(clock, undefined) } as unknown as Ports;
  const settle = () => new Promise(setImmediate);
  let open = 0;
  const ends: (() => void)[] = [];
  return {
    settle,
    ends,
    open: () => open,
    read: (tenant: string) =>
      withReadPermit({ ports, tenant }, async () => {
        open++;
        await new Promise<void>((end) => void ends.push(end));
        open--;
        return 'read';
      }),
    /** Starts a read that ends at once. */
    quick: (tenant: string, note: () => void) => withReadPermit({ ports, tenant }, async () => note()),
    pass: async (ms: number) => {
      now += ms;
      wake();
      await settle();
    },
  };
}

describe('withReadPermit', () => {
  it('runs two reads of an account at a time, without delaying other accounts', async () => {
    const { read, open, ends, settle } = world();
    const mine = Array.from({ length: 10 }, () => read('acc_a'));
    const others = read('acc_b');
    await settle();
    expect(open()).toBe(3);
    for (let i = 0; i < 20; i++) {
      ends.shift()?.();
      await settle();
    }
    expect(await Promise.all([...mine, others])).toEqual(Array(11).fill('read'));
  });

  it('runs two reads per turn of the event loop when they have waited for long ones', async () => {
    const { read, quick, ends, settle } = world();
    const long = [read('acc_a'), read('acc_a')];
    let done = 0;
    const waited = Array.from({ length: 6 }, () => quick('acc_a', () => done++));
    await settle();
    for (const end of ends) end();
    const turns: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const before = done;
      await settle();
      turns.push(done - before);
    }
    expect({ done, most: Math.max(...turns) }).toEqual({ done: 6, most: 2 });
    await Promise.all([...long, ...waited]);
  });

  it('rejects reads without a permit after ten seconds, with a remedy', async () => {
    const { read, ends, pass, settle } = world();
    const first = Array.from({ length: 2 }, () => read('acc_a'));
    const late = read('acc_a').catch((error: AppError) => error);
    await settle();
    await pass(11_000);
    expect(await late).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('Wait for a response before the next request'),
      headers: { 'retry-after': '1' },
    });
    for (const end of ends) end();
    expect(await Promise.all(first)).toEqual(Array(2).fill('read'));
  });
});
