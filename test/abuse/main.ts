import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { attacks } from './attacks/registry.ts';
import { type Case, runCase } from './case.ts';
import { COLUMNS } from './facts.ts';

/**
 * `npm run test:nightly -- abuse --seconds 60`: runs attacks by one tenant, or by a client without a key, on the real
 * process, and measures their effect on another tenant. The first case has no attack; each other case runs one attack.
 * Each case has a new service. While one attacker still waits for its responses, the next one attacks. A case fails if
 * it fails twice. `--only slow-60,relay` runs some attacks, `--code ../other` attacks the code of another checkout.
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
if (!(options.seconds >= 5)) throw new Error('--seconds must be at least 5.');
if (unknown.length > 0) throw new Error(`Unknown attack: ${unknown}; use ${Object.keys(attacks).join(', ')}.`);
const say = (line: string) => process.stdout.write(`${line}\n`);

// Ends everything that was started here: cleanups run on exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const NO_ATTACK = 'no attack';

/** `one`: undefined if the case was aborted. */
type Result = { name: string; one: Case | undefined };

/** Measures cases one at a time. Their conclusions follow later. */
async function runAll(names: string[]): Promise<Result[]> {
  const conclusions: Promise<Result>[] = [];
  for (const name of names) {
    const begun = runCase(name === NO_ATTACK ? undefined : name, options);
    conclusions.push(conclude(name, begun));
    await begun.catch(() => {});
  }
  return Promise.all(conclusions);
}

/** Concludes a case. A case that is aborted fails and shows the error. */
async function conclude(name: string, begun: ReturnType<typeof runCase>): Promise<Result> {
  try {
    const one = await (await begun).conclusion;
    show(one);
    return { name, one };
  } catch (error) {
    say(`\n${name}\n  FAILED, aborted: ${(error as Error).message}`);
    return { name, one: undefined };
  }
}

/** Prints the outcome of a case at once, because cases end in any order. */
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
// An attack has its effect in both runs; load of other programs is unlikely to affect both.
const broken = first.filter(({ one }) => !hasPassed(one)).map(({ name }) => name);
if (broken.length > 0) say('\nFailed cases, second run:');
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
