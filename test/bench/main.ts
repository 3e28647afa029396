import { parseArgs } from 'node:util';
import * as measures from './measures.ts';

/**
 * `npm run bench`: what the service does on this machine, best of three, ratios first. Targets, clients and receivers
 * run in other processes or cost nothing worth counting; CPU is that of the service's whole process tree.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' }, only: { type: 'string' } } });

const best = new Map<string, number>();
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [name, measure] of Object.entries(measures)) {
    if (values.only && !values.only.split(',').includes(name)) continue;
    if (name === 'slotError' || (name === 'memory' && round > 0)) continue;
    for (const [figure, value] of Object.entries(await (measure as () => Promise<measures.Figures>)())) {
      const isRate = figure.endsWith('_per_s');
      const before = best.get(figure);
      best.set(figure, before === undefined ? value : isRate ? Math.max(before, value) : Math.min(before, value));
    }
    process.stdout.write(`round ${round + 1}: ${name}\n`);
  }
}

const bare = best.get('bare_get_cpu_s_per_1000');
const check = best.get('check_cpu_s_per_1000');
const lines = bare && check ? [`CPU of a recorded check to a bare GET: ${(check / bare).toFixed(2)}`] : [];
for (const [figure, value] of best) lines.push(`${figure}: ${value.toPrecision(4)}`);
process.stdout.write(`\n${lines.join('\n')}\n`);
process.exit(0);
