import { expect, it } from 'vitest';
import type { Job } from '#lib/messages.ts';
import type { Clock } from '#lib/platform/ports.ts';
import { makeLanes, SKIPPED } from '#lib/results/probe/lanes.ts';
import { readSettings } from '#lib/settings.ts';

const job = (cell: string, slot: number): Job => ({ tenant_id: 'acc_1', cell, interval_seconds: 1, slot });

/** Creates turns for cells with an interval of one second, on a clock that the test moves. */
function world() {
  let now = 0;
  const clock: Clock = { now: () => now, sleep: () => new Promise<void>(() => {}), stalled: () => 0 };
  const { enter } = makeLanes({ clock, settings: readSettings({}) });
  const begun: string[] = [];
  /** Enters a cell whose turn lasts until the test ends it. */
  const hold = (cell: string, slot: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = enter(job(cell, slot), async () => {
      begun.push(cell);
      await promise;
    });
    return { done, end: resolve };
  };
  type Held = ReturnType<typeof hold>;
  const endAll = async (all: Held[]) => {
    for (const one of all) one.end();
    await Promise.all(all.map(({ done }) => done));
  };
  /** Enters as many cells as can have their turn at the same time, and one more, which waits. */
  const fill = (slot: number) => {
    const all: Held[] = [];
    for (let had = -1; had < begun.length; ) {
      had = begun.length;
      all.push(hold(`cell-${slot}-${all.length}`, slot));
    }
    return { waiting: all.pop()!, all };
  };
  const passUntil = (at: number) => {
    now = at;
  };
  return { begun, hold, endAll, fill, passUntil };
}

it('puts a cell first in the next slot when its turn came too late', async () => {
  const { begun, hold, endAll, fill, passUntil } = world();
  const first = fill(0);
  const late = hold('late', 0);
  passUntil(1000);
  await endAll([...first.all, first.waiting, late]);
  expect(await late.done).toBe(SKIPPED);
  expect(begun).not.toContain('late');

  const next = fill(1000);
  const before = begun.length;
  const [again, other] = [hold('cell-0-0', 1000), hold('late', 1000)];
  next.all[0]!.end();
  await next.all[0]!.done;
  expect(begun.slice(before)).toEqual(['cell-1000-16']);
  next.all[1]!.end();
  await next.all[1]!.done;
  expect(begun.slice(before + 1)).toEqual(['late']);
  await endAll([...next.all, next.waiting, again, other]);
});

it('skips a cell that would not finish before its next slot, given the mean duration of turns', async () => {
  const { begun, hold, endAll, fill, passUntil } = world();
  for (let slot = 0; slot < 3000; slot += 1000) {
    passUntil(slot);
    const { all, waiting } = fill(slot);
    passUntil(slot + 400);
    await endAll([...all, waiting]);
  }
  // The mean turn takes about 400 ms now: a cell is skipped from about 600 ms after its slot.
  passUntil(3000);
  const { all, waiting } = fill(3000);
  passUntil(3500);
  const inTime = hold('in time', 3000);
  all[0]!.end();
  await all[0]!.done;
  waiting.end();
  await waiting.done;
  expect(begun).toContain('in time');
  passUntil(3800);
  const tooLate = hold('too late', 3000);
  await endAll([...all, inTime]);
  expect(await tooLate.done).toBe(SKIPPED);
  expect(begun).not.toContain('too late');
});
