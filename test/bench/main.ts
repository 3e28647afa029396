import { parseArgs } from 'node:util';
import { measures } from './measures.ts';

/** Measures of up to half an hour, which run only if they are named. */
const LONG = ['overload', 'dependents'];

const USAGE = `npm run bench [-- --rounds N] [--only NAME,...]

Measures the service on this machine and prints the best of N rounds (default: 3). Targets, clients and receivers run in
other processes or cost very little; CPU is that of the service's whole process tree.
Measures: ${Object.keys(measures).join(', ')}.
Only if named, because they take up to half an hour: ${LONG.join(', ')}.
`;

function fail(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
}

function readOptions() {
  try {
    return parseArgs({
      options: { rounds: { type: 'string', default: '3' }, only: { type: 'string' }, help: { type: 'boolean' } },
    }).values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

const values = readOptions();
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const wanted = values.only?.split(',') ?? Object.keys(measures).filter((name) => !LONG.includes(name));
const unknown = wanted.find((name) => !(name in measures));
if (unknown !== undefined) fail(`Unknown measure "${unknown}".`);
const chosen = Object.entries(measures).filter(([name]) => wanted.includes(name));
const say = (line: string) => process.stdout.write(`${line}\n`);

const best = new Map<string, number>();
for (let round = 1; round <= Number(values.rounds); round++) {
  for (const [name, measure] of chosen) {
    // Creating ten thousand checks, or a month of results, takes minutes, and the figures hardly vary.
    if (['memory', 'history'].includes(name) && round > 1) continue;
    say(`round ${round}: ${name}`);
    for (const [figure, value] of Object.entries(await measure())) {
      const better = figure.endsWith('_per_s') ? Math.max : Math.min;
      best.set(figure, better(value, best.get(figure) ?? value));
      say(`  ${figure}: ${value.toPrecision(4)}`);
    }
  }
}

const bare = best.get('bare_get_cpu_s_per_1000');
const check = best.get('check_cpu_s_per_1000');
say('');
if (bare && check) say(`CPU of a recorded check relative to a bare GET: ${(check / bare).toFixed(2)}`);
for (const [figure, value] of best) say(`${figure}: ${value.toPrecision(4)}`);
process.exit(0);
