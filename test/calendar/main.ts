import { parseArgs } from 'node:util';
import { compareWithPeers, drawCases, findCalendars, type Kind } from './peers.ts';

/**
 * `npm run test:nightly -- calendar`: compares the service with the libraries that Healthchecks uses, for random
 * schedules and times, most of them near a change of clocks. Prints the number of differences per known reason. Fails
 * if a difference has no known reason.
 */
const { values } = parseArgs({
  options: { cases: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } },
});
const python = findCalendars();
if (!python) {
  console.log('skipped: cronsim and oncalendar are not installed; see test/calendar/peers.ts');
  console.log('0 passed, 0 failed, 2 skipped');
  process.exit(0);
}

let failed = 0;
for (const kind of ['cron', 'OnCalendar'] satisfies Kind[]) {
  const cases = drawCases(kind, Number(values.cases), Number(values.seed));
  const { same, known, strange } = await compareWithPeers(python, cases);
  console.log(`${kind}: ${same} of ${cases.length} agree`);
  for (const [reason, count] of known) console.log(`  ${count}: ${reason}`);
  for (const one of strange.slice(0, 20)) console.log(`  ${one}`);
  if (strange.length > 0) {
    failed++;
    console.log(`failed: ${kind}: ${strange.length} differ without a known reason`);
  }
}
console.log(`${2 - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
