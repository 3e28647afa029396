import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { closestName } from '#lib/platform/http/closest-name.ts';
import { PARTS, type Part } from './parts.ts';

const USAGE = `npm run test:nightly                       every part that runs at night, and a summary at the end
npm run test:nightly -- --seed N           the same, with this seed instead of the day's
npm run test:nightly -- NAME [options]     one part

Parts (*: at night, with the options after the arrow):
`;

const root = join(import.meta.dirname, '../..');
const say = (line: string) => process.stdout.write(`${line}\n`);
const DAY_MS = 86_400_000;

function help(): void {
  say(USAGE);
  for (const [name, { about, options = '', night }] of Object.entries(PARTS)) {
    const atNight = night?.length ? ` → ${night.join(' ')}` : '';
    say(`${night ? '*' : ' '} ${name.padEnd(15)}${about}`);
    if (options || atNight) say(`${' '.repeat(17)}${options}${atNight}`);
  }
}

// Ends everything that was started here.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

function start({ command }: Part, options: readonly string[], stdout: 'inherit' | 'pipe') {
  const words = ['--disable-warning=ExperimentalWarning', ...command, ...options];
  const env = { ...process.env, NIGHTLY: 'true' };
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', stdout, 'inherit'] });
  const stop = () => child.kill();
  process.once('exit', stop);
  child.once('close', () => process.off('exit', stop));
  return child;
}

async function runByName(name: string, options: string[]): Promise<number> {
  const part = PARTS[name];
  if (!part) {
    const near = closestName(name, Object.keys(PARTS));
    say(`Unknown part "${name}"${near ? `; did you mean ${near}?` : '.'} npm run test:nightly -- --help lists them.`);
    return 2;
  }
  const [code] = await once(start(part, options, 'inherit'), 'close');
  return code ?? 1;
}

type Outcome = { passed: number; failed: number; seconds: number };

/** Runs a part and shows its output. A part without a closing line counts as one test. */
async function runPart(part: Part, options: readonly string[]): Promise<Outcome> {
  const began = performance.now();
  const child = start(part, options, 'pipe');
  let printed = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    printed += chunk;
    process.stdout.write(chunk);
  });
  const [code] = await once(child, 'close');
  const seconds = Math.round((performance.now() - began) / 1000);
  const closing = [...printed.matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1);
  const [passed, failed] = closing ? closing.slice(1).map(Number) : [code === 0 ? 1 : 0, code === 0 ? 0 : 1];
  return { passed: passed!, failed: code !== 0 && failed === 0 ? 1 : failed!, seconds };
}

async function runAll(seed: string): Promise<number> {
  const failures: string[] = [];
  const times: string[] = [];
  const sum = { passed: 0, failed: 0 };
  for (const [name, part] of Object.entries(PARTS)) {
    if (!part.night) continue;
    const options = [...part.night, ...(part.seeded ? ['--seed', seed] : [])];
    const again = ['npm run test:nightly --', name, ...options].join(' ');
    say(`\n# ${again}`);
    const { passed, failed, seconds } = await runPart(part, options);
    times.push(`${String(seconds).padStart(6)} s  ${name}`);
    if (failed > 0) failures.push(`failed: ${name}: ${failed} failed; again: ${again}`);
    sum.passed += passed;
    sum.failed += failed;
  }
  say(['', ...times, ...failures, `${sum.passed} passed, ${sum.failed} failed`].join('\n'));
  return failures.length > 0 ? 1 : 0;
}

const [word, ...rest] = process.argv.slice(2);
if (word === '--help' || word === '-h') help();
else if (word === undefined) process.exitCode = await runAll(String(Math.floor(Date.now() / DAY_MS) * 1000));
else if (word === '--seed' && rest.length === 1 && /^\d+$/.test(rest[0]!)) process.exitCode = await runAll(rest[0]!);
else process.exitCode = await runByName(word, rest);
