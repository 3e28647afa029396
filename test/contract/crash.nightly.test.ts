import { expect, it } from 'vitest';
import { crashTest } from '#test/crash/crash-test.ts';

const ROUNDS = 3;
/** Seed with which a kill interrupts a start, and a pause outlasts the grace time of a push check. */
const SEED = 13;

it('loses nothing acknowledged or planned when kill -9 strikes at random moments', {
  timeout: 240_000,
}, async () => {
  const lines: string[] = [];
  const cases = await crashTest(ROUNDS, SEED, (line) => lines.push(line));
  expect(
    cases.flatMap(({ name, wrong }) => wrong.map((text) => `${name}: ${text}`)),
    lines.join('\n'),
  ).toEqual([]);

  // The test shows nothing about a kind of record that did not occur; the minimums hold on a slow machine too.
  const { totals } = cases.at(-1)!;
  const minimums = {
    acknowledged: 100,
    transitions: 25,
    sent: 25,
    executions: 5,
    missed_heartbeats: 1,
    slots_executed: 10,
  };
  for (const [what, count] of Object.entries(minimums)) expect(totals[what], what).toBeGreaterThanOrEqual(count);
});
