import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { FairSemaphore } from '#lib/platform/sharing/fair-semaphore.ts';

it('runs each piece of work in the async context of its caller, regardless of the context that frees the permit', async () => {
  const fair = new FairSemaphore(
    { permits: 1, wait_ms: 5000 },
    { now: () => 0, sleep: () => new Promise<never>(() => {}) },
  );
  const caller = new AsyncLocalStorage<string>();
  const begun: string[] = [];
  const list = (name: string) =>
    caller.run(name, () =>
      fair.each({ tenant: 'acc_a' }, [1, 2, 3], async (item) => {
        begun.push(`${item} of ${caller.getStore()} for ${name}`);
        await Promise.resolve();
      }),
    );
  await Promise.all([list('first'), list('second')]);
  expect(begun.toSorted()).toEqual(
    ['first', 'second'].flatMap((name) => [1, 2, 3].map((item) => `${item} of ${name} for ${name}`)).toSorted(),
  );
});
