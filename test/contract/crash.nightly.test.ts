import { expect, it } from 'vitest';
import { crashTest } from '#test/crash/crash-test.ts';

const ROUNDS = 3;
/** The moments of its kills: one in the middle of a start, one time away that outlasts the grace of a push check. */
const SEED = 13;

it('through kill -9 at random moments nothing that was acknowledged or planned is lost', {
  timeout: 240_000,
}, async () => {
  const told: string[] = [];
  const verdicts = await crashTest(ROUNDS, SEED, (line) => told.push(line));
  expect(
    verdicts.flatMap(({ name, wrong }) => wrong.map((text) => `${name}: ${text}`)),
    told.join('\n'),
  ).toEqual([]);

  // Of everything there was enough to be lost, on a slow machine too.
  const { totals } = verdicts.at(-1)!;
  const least = { acknowledged: 100, transitions: 25, sent: 25, executions: 5, silences: 1, executed: 10 };
  for (const [what, count] of Object.entries(least)) expect(totals[what], what).toBeGreaterThanOrEqual(count);
});
