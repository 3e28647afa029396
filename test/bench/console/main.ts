import { parseArgs } from 'node:util';
import { type Figures, targets } from './targets.ts';

/**
 * `npm run test:nightly -- bench-console`: measures the size of the console, its speed with 10,000 entities in
 * Chromium, and the time and memory of the service for its first page. `--only browser` runs a part. Exit code 1 if a
 * target is missed.
 */
const parts: Record<string, (options: Options) => Promise<Figures>> = {
  size: async () => (await import('./size.ts')).size(),
  start: async () => (await import('./start.ts')).start(),
  browser: async ({ entities }) => (await import('./browser.ts')).inBrowser(entities),
};
type Options = { entities: number };

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    entities: { type: 'string', default: '10000' },
  },
});
let missed = 0;
for (const [name, part] of Object.entries(parts)) {
  if (values.only && !values.only.split(',').includes(name)) continue;
  const figures = await part({ entities: Number(values.entities) });
  for (const [figure, value] of Object.entries(figures)) {
    const max = targets[figure];
    const isOver = max !== undefined && value > max;
    if (isOver) missed++;
    const verdict = max === undefined ? '' : `, at most ${max} (${(value / max).toFixed(2)} of it)`;
    process.stdout.write(`${isOver ? 'OVER' : 'ok  '} ${figure}: ${Number(value.toPrecision(3))}${verdict}\n`);
  }
}
process.exit(missed > 0 ? 1 : 0);
