import { expect, it } from 'vitest';
import { semaphore } from '#lib/platform/semaphore.ts';

const soon = () => new Promise(setImmediate);

/** Work that a test ends; `begun` and `most` say what ran. */
function workbench() {
  const ends: (() => void)[] = [];
  return {
    ends,
    work: () =>
      new Promise<void>((resolve) => {
        ends.push(resolve);
      }),
  };
}

it('lets so many run at once, and the next when one has ended', async () => {
  const { ends, work } = workbench();
  const place = semaphore(2);
  const all = Promise.all(Array.from({ length: 5 }, () => place(work)));
  await soon();
  expect(ends).toHaveLength(2);
  ends[0]!();
  await soon();
  expect(ends).toHaveLength(3);
  for (let i = 1; i < 5; i++) {
    ends[i]!();
    await soon();
  }
  await all;
});

it('also one that fails gives its place back', async () => {
  const place = semaphore(1);
  await expect(place(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await place(async () => 7)).toBe(7);
});

it('what hangs gives its place away when its lease is over, and still ends in its own time', async () => {
  const { ends, work } = workbench();
  const leases: (() => void)[] = [];
  const place = semaphore(2, () => new Promise((resolve) => leases.push(resolve)));
  const all = Promise.all(Array.from({ length: 5 }, () => place(work)));
  await soon();
  expect([ends.length, leases.length]).toEqual([2, 2]);
  for (const over of leases.splice(0)) over();
  await soon();
  expect(ends).toHaveLength(4);
  // One that ends after its lease frees no second place.
  ends[0]!();
  await soon();
  expect(ends).toHaveLength(4);
  for (const over of leases.splice(0)) over();
  await soon();
  expect(ends).toHaveLength(5);
  for (const end of ends) end();
  await all;
});

it('nobody has a lease while nobody waits', async () => {
  let leases = 0;
  const place = semaphore(2, async () => void leases++);
  await Promise.all([place(soon), place(soon)]);
  expect(leases).toBe(0);
});
