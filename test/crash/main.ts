import { parseArgs } from 'node:util';
import { crashTest } from './crash-test.ts';

/**
 * `npm run test:nightly -- crash --rounds 20 --seed N`: the service, in a process of its own, killed at random moments
 * under load. Prints what each round did, counts duplicates, and tells which promise was broken. The seed gives the
 * moments and the load; what the machine makes of them differs from run to run.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, seed: { type: 'string' } },
});
const rounds = Number(values.rounds);
const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
if (!(Number.isInteger(rounds) && rounds > 0 && Number.isInteger(seed))) {
  throw new Error('Give --rounds and --seed as whole numbers.');
}
const say = (line: string) => process.stdout.write(`${line}\n`);

// Nothing that was started here outlives it: what is to be tidied up hangs on the exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

say(`seed ${seed}, ${rounds} rounds; totals so far, and in brackets those of the round`);
const begun = performance.now();
const verdicts = await crashTest(rounds, seed, say);
const failed = verdicts.filter(({ wrong }) => wrong.length > 0);
say(`${rounds} rounds and the end, seed ${seed}, in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
say(`${verdicts.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
