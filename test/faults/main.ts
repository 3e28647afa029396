import { parseArgs } from 'node:util';
import { violationsOf } from '#test/oracle/promises.ts';
import { type Coverage, cover } from './coverage.ts';
import { historyOf } from './history.ts';
import { fingerprint, simulate } from './simulate.ts';

/**
 * `npm run test:nightly -- faults --seed N --runs M [--minutes L] [--promise NAME] [--until-broken] [--fingerprints]`:
 * simulates M seeds from seed N, L minutes each, in virtual time. --promise checks only the named promise, and
 * --until-broken stops at the first seed that breaks one. Prints the coverage: faults by kind, function runs,
 * transitions, deliveries; and for each seed that broke a promise, the violations and the command that repeats it. With
 * --fingerprints, also prints two hashes of the writes of each seed: in their order, and sorted.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '30' },
    promise: { type: 'string' },
    'until-broken': { type: 'boolean', default: false },
    fingerprints: { type: 'boolean', default: false },
  },
});
const first = Number(values.seed);
const runs = Number(values.runs);
const minutes = Number(values.minutes);
const say = (line: string) => process.stdout.write(`${line}\n`);
const SHOWN = 8;

const coverage: Coverage = {};
const failed: number[] = [];
let completed = 0;
const begun = performance.now();
for (let seed = first; seed < first + runs; seed++) {
  const run = await simulate(seed, minutes);
  const wrong = run.is_endless
    ? [`the service repeated work without end: ${run.seen.runs.size} function runs`]
    : violationsOf(historyOf(run), values.promise);
  cover(coverage, run);
  completed++;
  if (values.fingerprints) say(`fingerprint ${seed} ${fingerprint(run)} ${fingerprint(run, true)}`);
  if (wrong.length === 0) continue;
  failed.push(seed);
  const again = `npm run test:nightly -- faults --seed ${seed} --runs 1 --minutes ${minutes}`;
  say(`seed ${seed} (${fingerprint(run)}) broke ${wrong.length}; again: ${again}`);
  for (const text of wrong.slice(0, SHOWN)) say(`  ${text}`);
  if (values['until-broken']) break;
}
for (const [what, count] of Object.entries(coverage).sort()) say(`${String(count).padStart(9)}  ${what}`);
const seconds = (performance.now() - begun) / 1000;
say(
  `${completed} seeds from ${first} in ${seconds.toFixed(1)} s; broken: ${failed.length === 0 ? 'none' : failed.join(' ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
