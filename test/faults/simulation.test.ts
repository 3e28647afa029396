import { describe, expect, it } from 'vitest';
import { fingerprint, simulate } from './simulate.ts';
import { verdict } from './verdict.ts';

const SEEDS = Array.from({ length: 25 }, (_, i) => i + 1);

describe('a whole life of the service, half an hour of faults', () => {
  it.each(SEEDS)('keeps every promise (seed %i)', async (seed) => {
    const run = await simulate(seed);
    expect(verdict(run)).toEqual([]);
    expect(run.seen.commits.length).toBeGreaterThan(500);
  });

  it('is the same life again for the same seed', async () => {
    expect(fingerprint(await simulate(2))).toBe(fingerprint(await simulate(2)));
  });
});
