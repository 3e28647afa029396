import { setTimeout as pause } from 'node:timers/promises';
import { startRealService } from '#test/support/real-service.ts';
import type { Fact } from './attack.ts';
import { type Attacker, startAttacker } from './attackers.ts';
import { Caller } from './client.ts';
import { loadFor } from './load.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { watchProcess } from './usage.ts';
import { factsOf, type Row, rowOf } from './verdict.ts';
import { HOME, makeVictim, startReceiver } from './victim.ts';

export type Options = {
  /** The checkout whose service is attacked. */
  code: string;
  /** Of each attack. */
  seconds: number;
};

export type Case = { name: string; facts: Fact[]; evidence: string[]; row: Row };

/** How much longer than it was told to an attack may go on. */
const GRACE_MS = 30_000;
/** How long the attacker may ask what it was told. */
const JUDGING_MS = 150_000;

/**
 * One attack on a service of its own, or none, and what the victim noticed of it. Resolves when nothing is measured any
 * more; the conclusion comes once the attacker was told what it had to be told, which it may wait a minute for.
 * @param name of the attack; undefined for none
 */
export async function runCase(
  name: string | undefined,
  { code, seconds }: Options,
): Promise<{ conclusion: Promise<Case> }> {
  await using stack = new AsyncDisposableStack();
  // As it comes: other tests call faster than anybody is let.
  const service = stack.use(await startRealService({ RATE_LIMITS: '' }, code));
  const receiver = stack.use(await startReceiver());
  const victim = await makeVictim(new Caller(service.url, service.client.key, HOME), receiver);
  const attacker = name === undefined ? undefined : stack.use(await startAttacker(name, service, seconds, code));

  const usage = watchProcess(service.pid());
  attacker?.begin();
  const load = await loadFor(victim, seconds, service.isAlive);
  const used = usage.end();
  const evidence: string[] = [...new Set(load.refused)].slice(0, 3);
  let outcome: Outcome | undefined;
  if (service.isAlive()) {
    outcome = await outcomeOf(victim, load).catch((error: Error) => {
      evidence.push(`the victim cannot read what became of it: ${error.message}`);
      return undefined;
    });
  }
  const conclude = async (): Promise<Case> => {
    const told = attacker ? await judgementOf(attacker, service.isAlive) : { evidence: [], facts: [] };
    const isAlive = service.isAlive();
    const measured = { load, usage: used, isAlive, ...(outcome && { outcome }) };
    const facts = [...factsOf(measured), ...told.facts];
    evidence.push(...told.evidence);
    if (!isAlive)
      evidence.push(`it ended with: ${/^.*FATAL.*$/m.exec(service.err())?.[0] ?? service.err().slice(-500)}`);
    return { name: name ?? 'no attack', facts, evidence, row: rowOf(measured) };
  };
  const all = stack.move();
  return { conclusion: conclude().finally(() => all.disposeAsync()) };
}

async function judgementOf({ over, judge }: Attacker, isAlive: () => boolean): ReturnType<Attacker['judge']> {
  const cannot = (why: string) => ({ evidence: [why], facts: [{ holds: false, fact: 'the attacker is told of it' }] });
  if (!isAlive()) return cannot('there is nobody left to tell the attacker anything');
  try {
    const late = (ms: number) => pause(ms, undefined, { ref: false });
    const isOver = await Promise.race([over.then(() => true), late(GRACE_MS)]);
    if (!isOver) return cannot('the attack does not come to an end');
    const judged = await Promise.race([judge(), late(JUDGING_MS)]);
    return judged ?? cannot('the attacker does not get its answers');
  } catch (error) {
    return cannot((error as Error).message);
  }
}
