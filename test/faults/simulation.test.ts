import { describe, expect, it, vi } from 'vitest';
import { violationsOf } from '#test/oracle/promises.ts';
import { historyOf } from './history.ts';
import { fingerprint, simulate } from './simulate.ts';

/** Length of the runs (minutes). There are only a few; `npm run test:nightly -- faults` simulates hundreds. */
const MINUTES = 12;
const SEEDS = [1, 2, 3, 4];
/** Length of the compared runs (minutes). */
const COMPARED_MINUTES = 5;

describe('a simulated run with many faults', () => {
  // This test is first, because only the first run of a process could wait for code that is not loaded yet.
  it('is the same for the same seed, even on a machine that stalls repeatedly', async () => {
    const life = async () => fingerprint(await simulate(2, COMPARED_MINUTES));
    const first = await life();
    expect(await life()).toBe(first);
    let lag = 0;
    const clocks = [performance, Date].map((clock) => {
      const now = clock.now.bind(clock);
      return vi.spyOn(clock, 'now').mockImplementation(() => {
        lag += 700;
        return now() + lag;
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
