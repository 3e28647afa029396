import { expect, it } from 'vitest';
import { makeLanes } from '#lib/health/recording/lanes.ts';
import type { Job } from '#lib/messages.ts';
import type { Clock } from '#lib/platform/ports.ts';
import { readSettings } from '#lib/platform/settings.ts';
import { NO_PLACE } from '#lib/platform/sharing/fair-shares.ts';

const job = (cell: string, slot: number): Job => ({ tenant_id: 'acc_1', cell, interval_seconds: 1, slot });

it('a cell whose turn came when its next slot was due has had none, and is the first of that slot', async () => {
  let now = 0;
  const clock: Clock = { now: () => now, sleep: () => new Promise<void>(() => {}), stalled: () => 0 };
  const { enter } = makeLanes({ clock, settings: readSettings({}) });
  const begun: string[] = [];
  /** A cell that is read until it is told to end; it answers that. */
  const hold = (cell: string, slot: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = enter(job(cell, slot), async () => {
      begun.push(cell);
      await promise;
    });
    return { done, end: resolve };
  };
  // The 16 that are read at the same time.
  const first = Array.from({ length: 20 }, (_, i) => hold(`first-${i}`, 0));
  expect(begun.length).toBeLessThan(20);
  const taken = first.slice(0, begun.length);

  const late = hold('late', 0);
  now = 1000;
  for (const one of [...first, late]) one.end();
  await Promise.all(first.map(({ done }) => done));
  expect(await late.done).toBe(NO_PLACE);
  expect(begun).not.toContain('late');

  begun.length = 0;
  const next = taken.map((_, i) => hold(`next-${i}`, 1000));
  const before = begun.length;
  const [again, other] = [hold('first-0', 1000), hold('late', 1000)];
  next[0]!.end();
  await next[0]!.done;
  expect(begun.slice(before)).toEqual(['late']);
  for (const one of [...next, again, other]) one.end();
  await Promise.all([again.done, other.done]);
});
