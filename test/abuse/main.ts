import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { attacks } from './attacks/registry.ts';
import { type Case, runCase } from './case.ts';
import { COLUMNS } from './verdict.ts';

/**
 * `npm run test:nightly -- abuse --seconds 60`: attacks of one tenant, or of a caller without a key, on the real
 * process, and what another tenant notices of each: first without an attack, then one after the other, each on a
 * service of its own. While one attacker still waits for its answer, the next attacks. A case has failed when it fails
 * twice.
 * `--only slow-60,relay` runs some of them, `--code ../other` attacks the code of another checkout.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    only: { type: 'string', default: Object.keys(attacks).join() },
    code: { type: 'string', default: join(import.meta.dirname, '../..') },
  },
});
const options = { seconds: Number(values.seconds), code: resolve(values.code) };
const chosen = values.only.split(',');
const unknown = chosen.filter((name) => !Object.hasOwn(attacks, name));
if (!(options.seconds >= 5)) throw new Error('Give --seconds of 5 or more.');
if (unknown.length > 0) throw new Error(`There is no ${unknown}; there are ${Object.keys(attacks).join(', ')}.`);
const say = (line: string) => process.stdout.write(`${line}\n`);

// Nothing that was started here outlives it: what is to be tidied up hangs on the exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const NO_ATTACK = 'no attack';

/** `one`: undefined when it could not be led to its end. */
type Result = { name: string; one: Case | undefined };

/** Each is measured for itself; what comes of it is known some time later. */
async function runAll(names: string[]): Promise<Result[]> {
  const conclusions: Promise<Result>[] = [];
  for (const name of names) {
    const begun = runCase(name === NO_ATTACK ? undefined : name, options);
    conclusions.push(conclude(name, begun));
    await begun.catch(() => {});
  }
  return Promise.all(conclusions);
}

/** A case that cannot be led to its end has failed, and says why. */
async function conclude(name: string, begun: ReturnType<typeof runCase>): Promise<Result> {
  try {
    const one = await (await begun).conclusion;
    show(one);
    return { name, one };
  } catch (error) {
    say(`\n${name}\n  FAILED, broken off: ${(error as Error).message}`);
    return { name, one: undefined };
  }
}

/** Says what came of a case, in one piece: cases end when they do. */
function show(one: Case): void {
  say(`\n${one.name}`);
  say(`  ${COLUMNS.map((column) => `${column} ${one.row[column]}`).join(', ')}`);
  for (const line of one.evidence) say(`  ${line}`);
  for (const { fact } of one.facts.filter(({ holds }) => !holds)) say(`  BROKEN: ${fact}`);
  say(`  ${hasPassed(one) ? 'passed' : 'FAILED'}`);
}

const hasPassed = (one: Case | undefined): boolean => one?.facts.every(({ holds }) => holds) ?? false;

say(`${options.seconds} s each, on the code in ${options.code}`);
const first = await runAll([NO_ATTACK, ...chosen]);
// What other work took of the machine does not come twice; what an attack takes does.
const broken = first.filter(({ one }) => !hasPassed(one)).map(({ name }) => name);
if (broken.length > 0) say('\nWhat failed, once more:');
const again = await runAll(broken);
const results = first.map((result) => again.find(({ name }) => name === result.name) ?? result);

say(`\n| attack | ${COLUMNS.join(' | ')} | |\n|---|${COLUMNS.map(() => '---|').join('')}---|`);
for (const { name, one } of results) {
  const cells = COLUMNS.map((column) => one?.row[column] ?? '?');
  say(`| ${name} | ${cells.join(' | ')} | ${hasPassed(one) ? 'passed' : 'failed'} |`);
}
const failed = results.filter(({ one }) => !hasPassed(one));
say('');
for (const { name } of failed) say(`failed: test/abuse > ${name}`);
say(`${results.length - failed.length} passed, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);
