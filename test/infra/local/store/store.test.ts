import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, expect, it, vi } from 'vitest';
import { openStore } from '#infra/local/store/store.ts';

const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-store-'));
const store = openStore({ file: join(dir, 'store.db') });
afterAll(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

/** Mode in which SQLite commits the current job: 2 waits for the disk, 1 does not. */
const synchronous = () => Number(store.db.prepare('PRAGMA synchronous').get()!.synchronous);

it('waits for the disk only if a commit contains a durable job', async () => {
  expect(await store.write(synchronous)).toBe(2);
  expect(await store.write(synchronous, 'soon')).toBe(1);
  expect(await store.write(synchronous)).toBe(2);
  expect(await Promise.all([store.write(synchronous, 'soon'), store.write(synchronous)])).toEqual([2, 2]);
  expect(await Promise.all([store.write(synchronous, 'soon'), store.write(synchronous, 'soon')])).toEqual([1, 1]);
});

it('commits writes of consecutive turns together', async () => {
  // The result must not depend on the time that the machine takes for a turn.
  using _ = vi.spyOn(performance, 'now').mockReturnValue(0);
  const order: string[] = [];
  const write = async (name: string) => {
    await store.write(() => order.push(name));
    order.push(`${name} is committed`);
  };
  const first = write('first');
  await nextTurn();
  await Promise.all([first, write('second')]);
  expect(order).toEqual(['first', 'second', 'first is committed', 'second is committed']);
});

it('limits the time for which a write waits for others', async () => {
  let isCommitted = false;
  const first = store
    .write(() => {})
    .then(() => {
      isCommitted = true;
    });
  const more: Promise<void>[] = [];
  while (!isCommitted && more.length < 100_000) {
    more.push(store.write(() => {}));
    await nextTurn();
  }
  expect(isCommitted).toBe(true);
  await Promise.all([first, ...more]);
});

it('splits writes that together take long into several commits, in order', async () => {
  let now = 0;
  using _ = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const [begun, begunAtCommit]: number[][] = [[], []];
  const write = async (n: number) => {
    await store.write(() => {
      begun!.push(n);
      now += 5;
    });
    // All writes of a commit have begun before the first of them is committed.
    begunAtCommit!.push(begun!.length);
  };
  await Promise.all([1, 2, 3, 4, 5].map(write));
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(begunAtCommit).toEqual([2, 2, 4, 4, 5]);
});
