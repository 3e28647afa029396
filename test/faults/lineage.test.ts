import { expect, it } from 'vitest';
import { checkLineage } from '#test/oracle/lineage.ts';
import { invokedBy, isStopped, MAX_CHAIN } from '#test/support/lineage.ts';
import { simulate } from './simulate.ts';

it('counts the longest chain of a batch, per function', () => {
  const batch = [new Map([['prober', 3]] as const), new Map([['prober', 1] as const, ['notifier', 9] as const])];
  expect(invokedBy('prober', batch as never)).toEqual(
    new Map([
      ['prober', 4],
      ['notifier', 9],
    ] as never),
  );
});

it('stops a chain with one invocation more than Lambda allows, unless the function is on an allowed cycle', () => {
  const chain = (length: number) => new Map([['prober', length]] as const);
  expect(isStopped('prober', chain(MAX_CHAIN), new Set())).toBe(false);
  expect(isStopped('prober', chain(MAX_CHAIN + 1), new Set())).toBe(true);
  expect(isStopped('prober', chain(99), new Set(['prober'] as const))).toBe(false);
});

it('finds chains of deadlines and retries that Lambda would stop, in functions on allowed cycles', async () => {
  // Most runs have such a chain, but not all.
  let stopped: string[] = [];
  for (let seed = 3; stopped.length === 0 && seed < 10; seed++) {
    const run = await simulate(seed, 12);
    expect(checkLineage(run)).toEqual([]);
    stopped = checkLineage(run, new Set());
  }
  expect(stopped).toContainEqual(
    expect.stringMatching(/^\w+ was invoked more than 16 times in one chain of messages$/),
  );
});
