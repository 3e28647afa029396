import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PlantedFault, plantedFaults } from './planted-faults.ts';

/**
 * `npm run test:planted -- [--runs M] [--only TEXT]`: plants one mistake after the other in a copy of the service,
 * lives seeds from 1 on until one of them breaks a promise, and prints which. Fails when a mistake is not found within
 * M seeds, or can no longer be planted as its place has changed.
 */
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '200' }, only: { type: 'string', default: '' } },
});
const root = join(import.meta.dirname, '../..');
const say = (line: string) => process.stdout.write(`${line}\n`);

/** A copy of all that a simulation runs, with the mistake in it. @throws when there is no place for it */
function plant({ name, file, edits }: PlantedFault): string {
  const copy = mkdtempSync(join(tmpdir(), 'planted-'));
  for (const part of ['lib', 'functions', 'infra', 'test/faults', 'test/support', 'package.json'])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  let text = readFileSync(join(copy, file), 'utf8');
  for (const { find, replace } of edits) {
    if (!text.includes(find)) throw new Error(`"${name}" cannot be planted: ${file} no longer has ${find}`);
    text = text.replaceAll(find, replace);
  }
  writeFileSync(join(copy, file), text);
  return copy;
}

/** What a simulation of the copy prints. */
async function live(copy: string): Promise<string> {
  const args = [
    '--disable-warning=ExperimentalWarning',
    'test/faults/main.ts',
    '--until-broken',
    '--runs',
    values.runs,
  ];
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  for await (const chunk of child.stdout) printed += chunk;
  return printed;
}

let missed = 0;
for (const fault of plantedFaults.filter(({ name }) => name.includes(values.only))) {
  const begun = performance.now();
  const copy = plant(fault);
  try {
    const printed = await live(copy);
    const [, seed, broke] = /^seed (\d+) .*\n {2}(.*)$/m.exec(printed) ?? [];
    if (seed === undefined) missed++;
    const seconds = `${((performance.now() - begun) / 1000).toFixed(0)} s`;
    const end = /seeds from/.test(printed) ? `not found in ${values.runs} seeds` : 'it did not run to its end';
    say(`${seed === undefined ? `MISSED: ${fault.name}: ${end}` : `seed ${seed}: ${fault.name}`} (${seconds})`);
    if (broke !== undefined) say(`    ${broke}`);
  } finally {
    rmSync(copy, { recursive: true });
  }
}
say(missed === 0 ? 'Every planted fault was found.' : `${missed} planted faults were not found.`);
process.exitCode = missed === 0 ? 0 : 1;
