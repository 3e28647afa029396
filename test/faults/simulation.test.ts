import { describe, expect, it, vi } from 'vitest';
import { violationsOf } from '#test/oracle/promises.ts';
import { historyOf } from './history.ts';
import { fingerprint, simulate } from './simulate.ts';

/** A few short lives; `npm run test:nightly -- faults` simulates hundreds. */
const MINUTES = 12;
const SEEDS = [1, 2, 3, 4];
/** Length of the lives that are compared. */
const COMPARED_MINUTES = 5;

describe('a whole life of the service, full of faults', () => {
  // First of all: the first life of a process is the one that could wait for what the process has not loaded yet.
  it('is the same life for the same seed, also on a machine that stands still again and again', async () => {
    const life = async () => fingerprint(await simulate(2, COMPARED_MINUTES));
    const first = await life();
    expect(await life()).toBe(first);
    let behind = 0;
    const clocks = [performance, Date].map((clock) => {
      const now = clock.now.bind(clock);
      return vi.spyOn(clock, 'now').mockImplementation(() => {
        behind += 700;
        return now() + behind;
      });
    });
    try {
      expect(await life()).toBe(first);
    } finally {
      for (const clock of clocks) clock.mockRestore();
    }
  });

  it.each(SEEDS)('keeps every promise (seed %i)', async (seed) => {
    const run = await simulate(seed, MINUTES);
    expect(violationsOf(historyOf(run))).toEqual([]);
    expect(run.seen.commits.length).toBeGreaterThan(300);
  });
});
