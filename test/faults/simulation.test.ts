import { describe, expect, it, vi } from 'vitest';
import { verdict } from '#test/oracle/promises.ts';
import { historyOf } from './history.ts';
import { fingerprint, simulate } from './simulate.ts';

/** Short lives; `npm run test:nightly -- faults` lives longer ones, as many as one likes. */
const MINUTES = 12;
const SEEDS = Array.from({ length: 8 }, (_, i) => i + 1);

describe('a whole life of the service, full of faults', () => {
  // First of all: the first life of a process is the one that could wait for what the process has not loaded yet.
  it('is the same life again for the same seed', async () => {
    expect(fingerprint(await simulate(2, MINUTES))).toBe(fingerprint(await simulate(2, MINUTES)));
  });

  it.each(SEEDS)('keeps every promise (seed %i)', async (seed) => {
    const run = await simulate(seed, MINUTES);
    expect(verdict(historyOf(run))).toEqual([]);
    expect(run.seen.commits.length).toBeGreaterThan(300);
  });

  it('is the same life on a machine that stands still again and again', async () => {
    const life = fingerprint(await simulate(2, MINUTES));
    let behind = 0;
    const clocks = [performance, Date].map((clock) => {
      const now = clock.now.bind(clock);
      return vi.spyOn(clock, 'now').mockImplementation(() => {
        behind += 700;
        return now() + behind;
      });
    });
    try {
      expect(fingerprint(await simulate(2, MINUTES))).toBe(life);
    } finally {
      for (const clock of clocks) clock.mockRestore();
    }
  });
});
