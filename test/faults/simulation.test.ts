import { describe, expect, it } from 'vitest';
import { verdict } from '#test/oracle/promises.ts';
import { historyOf } from './history.ts';
import { fingerprint, simulate } from './simulate.ts';

/** Short lives; `npm run test:faults` lives longer ones, as many as one likes. */
const MINUTES = 12;
const SEEDS = Array.from({ length: 36 }, (_, i) => i + 1);

describe('a whole life of the service, full of faults', () => {
  it.each(SEEDS)('keeps every promise (seed %i)', async (seed) => {
    const run = await simulate(seed, MINUTES);
    expect(verdict(historyOf(run))).toEqual([]);
    expect(run.seen.commits.length).toBeGreaterThan(300);
  });

  it('is the same life again for the same seed', async () => {
    expect(fingerprint(await simulate(2, MINUTES))).toBe(fingerprint(await simulate(2, MINUTES)));
  });
});
