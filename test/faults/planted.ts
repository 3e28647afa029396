import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PlantedFault, plant, plantedFaults, serviceFiles } from './planted-fault.ts';

/**
 * `npm run test:nightly -- planted [--runs M] [--only TEXT]`: plants one fault at a time in a copy of the service,
 * simulates seeds from 1 on until a seed breaks the promise in `foundBy`, and prints the violation. Fails if a fault is
 * not found within M seeds, or cannot be planted because its place has changed. --only selects faults with TEXT in
 * their name or sentence.
 */
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '200' }, only: { type: 'string', default: '' } },
});
const root = join(import.meta.dirname, '../..');
const say = (line: string) => process.stdout.write(`${line}\n`);
const service = serviceFiles(root);

/** Creates a copy of all code of a simulation, with the fault. */
function copyWith(fault: PlantedFault): string {
  const { file, text } = plant(fault, service);
  const copy = mkdtempSync(join(tmpdir(), 'planted-'));
  for (const part of ['lib', 'functions', 'infra', 'test', 'test/support', 'package.json'])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(join(copy, file), text);
  return copy;
}

/** Runs a simulation of the copy. @returns its output */
async function runSimulation(copy: string, promise: string): Promise<string> {
  const options = ['--until-broken', '--promise', promise, '--runs', values.runs];
  const args = ['--disable-warning=ExperimentalWarning', 'test/faults/main.ts', ...options];
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  for await (const chunk of child.stdout) printed += chunk;
  return printed;
}

let missed = 0;
const faults = plantedFaults().filter(({ name, sentence }) => `${name} ${sentence}`.includes(values.only));
if (faults.length === 0) throw new Error(`No planted fault has "${values.only}" in its name or sentence.`);
for (const fault of faults) {
  const begun = performance.now();
  const copy = copyWith(fault);
  try {
    const printed = await runSimulation(copy, fault.foundBy);
    const [, seed, broke] = /^seed (\d+) .*\n {2}(.*)$/m.exec(printed) ?? [];
    if (seed === undefined) missed++;
    const seconds = `${((performance.now() - begun) / 1000).toFixed(0)} s`;
    const end = /seeds from/.test(printed) ? `not found in ${values.runs} seeds` : 'the simulation did not complete';
    say(`${seed === undefined ? `MISSED: ${fault.name}: ${end}` : `seed ${seed}: ${fault.name}`} (${seconds})`);
    if (broke !== undefined) say(`    ${broke}`);
  } finally {
    rmSync(copy, { recursive: true });
  }
}
say(missed === 0 ? `Found: ${faults.length} planted faults.` : `${missed} planted faults were not found.`);
process.exitCode = missed === 0 ? 0 : 1;
