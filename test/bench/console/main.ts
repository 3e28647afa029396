import { parseArgs } from 'node:util';
import { type Figures, targets } from './targets.ts';

/**
 * `npm run test:nightly -- bench-console`: what the console weighs, how fast it is with 10,000 entities in a real
 * Chromium, and what the service takes for its first page. `--only browser` for a part. Ends with 1 when a target is
 * missed.
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
    const most = targets[figure];
    const isOver = most !== undefined && value > most;
    if (isOver) missed++;
    const verdict = most === undefined ? '' : `, at most ${most} (${(value / most).toFixed(2)} of it)`;
    process.stdout.write(`${isOver ? 'OVER' : 'ok  '} ${figure}: ${Number(value.toPrecision(3))}${verdict}\n`);
  }
}
process.exit(missed > 0 ? 1 : 0);
