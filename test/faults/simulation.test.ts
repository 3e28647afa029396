import { describe, expect, it, vi } from 'vitest';
import { verdict } from '#test/oracle/promises.ts';
import { historyOf } from './history.ts';
import { fingerprint, type Run, simulate } from './simulate.ts';

/** A few short lives; `npm run test:nightly -- faults` simulates hundreds. */
const MINUTES = 12;
const SEEDS = [1, 3, 4];

function expectSound(run: Run): void {
  expect(verdict(historyOf(run))).toEqual([]);
  expect(run.seen.commits.length).toBeGreaterThan(300);
}

describe('a whole life of the service, full of faults', () => {
  // First of all: the first life of a process is the one that could wait for what the process has not loaded yet.
  it('is the same life for the same seed, also on a machine that stands still again and again', async () => {
    const run = await simulate(2, MINUTES);
    expectSound(run);
    const life = fingerprint(run);
    expect(fingerprint(await simulate(2, MINUTES))).toBe(life);
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

  it.each(SEEDS)('keeps every promise (seed %i)', async (seed) => expectSound(await simulate(seed, MINUTES)));
});
