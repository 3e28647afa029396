import { parseArgs } from 'node:util';
import { crashTest } from './crash-test.ts';

/**
 * `npm run test:nightly -- crash --rounds 20 --seed N`: runs the service in its own process and kills it at random
 * moments under load. Prints a summary of each round, counts duplicates, and reports broken promises. The seed
 * determines the moments and the load; their effect differs between runs.
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

// Ends everything that was started here: cleanups run on exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

say(`seed ${seed}, ${rounds} rounds; totals so far, with the change of the round in parentheses`);
const begun = performance.now();
const cases = await crashTest(rounds, seed, say);
const failed = cases.filter(({ wrong }) => wrong.length > 0);
say(`${rounds} rounds and the end, seed ${seed}, in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
say(`${cases.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
