import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startRealService } from '#test/support/real-service.ts';
import { type Fact, HOSTILE, MAIL_PORT } from './attack.ts';
import { type Attacker, startAttacker } from './attackers.ts';
import { Caller } from './client.ts';
import { factsOf, type Row, rowOf, type Stalls } from './facts.ts';
import { loadFor } from './load.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { watchProcess } from './usage.ts';
import { HOME, makeVictim, startReceiver } from './victim.ts';

export type Options = {
  /** The checkout whose service is attacked. */
  code: string;
  /** Duration of each attack. */
  seconds: number;
};

export type Case = { name: string; facts: Fact[]; evidence: string[]; row: Row };

/** Maximum time by which an attack may exceed its duration. */
const GRACE_MS = 30_000;
/** Time in which the attacker can read its responses. */
const CONCLUDING_MS = 150_000;

/**
 * Runs one attack, or none, on a separate service, and measures the effect on the victim. Resolves when the measurement
 * is done; the conclusion follows when the attacker has its responses, which can take a minute.
 * @param name of the attack; undefined for none
 */
export async function runCase(
  name: string | undefined,
  { code, seconds }: Options,
): Promise<{ conclusion: Promise<Case> }> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'event-loop-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const EVENT_LOOP_FILE = join(folder, 'longest');
  const NODE_OPTIONS = `--import ${pathToFileURL(join(import.meta.dirname, 'event-loop.mjs'))}`;
  const SMTP = { SMTP_URL: `smtp://${HOSTILE}:${MAIL_PORT}`, MAIL_FROM: 'alerts@example.com' };
  // The limits have their defaults here; other tests disable them.
  const env = { RATE_LIMITS: '', EVENT_LOOP_FILE, NODE_OPTIONS, ...SMTP };
  const service = stack.use(await startRealService(env, code));
  const receiver = stack.use(await startReceiver());
  const victim = await makeVictim(new Caller(service.url, service.client.key, HOME), receiver);
  const attacker = name === undefined ? undefined : stack.use(await startAttacker(name, service, seconds, code));

  const usage = watchProcess(service.pid());
  process.kill(service.pid(), 'SIGUSR2');
  attacker?.begin();
  const load = await loadFor(victim, seconds, service.isAlive);
  const used = { ...usage.end(), ...(JSON.parse(readFileSync(EVENT_LOOP_FILE, 'utf8')) as Stalls) };
  const evidence: string[] = [...new Set(load.refused)].slice(0, 3);
  let outcome: Outcome | undefined;
  if (service.isAlive()) {
    outcome = await outcomeOf(victim, load).catch((error: Error) => {
      evidence.push(`the victim cannot read its outcome: ${error.message}`);
      return undefined;
    });
  }
  const conclude = async (): Promise<Case> => {
    const conclusion = attacker ? await conclusionOf(attacker, service.isAlive) : { evidence: [], facts: [] };
    const isAlive = service.isAlive();
    const measured = { load, usage: used, isAlive, ...(outcome && { outcome }) };
    const facts = [...factsOf(measured), ...conclusion.facts];
    evidence.push(...conclusion.evidence);
    if (!isAlive)
      evidence.push(`the service ended with: ${/^.*FATAL.*$/m.exec(service.err())?.[0] ?? service.err().slice(-500)}`);
    return { name: name ?? 'no attack', facts, evidence, row: rowOf(measured) };
  };
  const all = stack.move();
  return { conclusion: conclude().finally(() => all.disposeAsync()) };
}

async function conclusionOf({ over, conclude }: Attacker, isAlive: () => boolean): ReturnType<Attacker['conclude']> {
  const cannot = (why: string) => ({ evidence: [why], facts: [{ holds: false, fact: 'the attacker is informed' }] });
  if (!isAlive()) return cannot('the service does not respond to the attacker any more');
  try {
    const late = (ms: number) => pause(ms, undefined, { ref: false });
    const isOver = await Promise.race([over.then(() => true), late(GRACE_MS)]);
    if (!isOver) return cannot('the attack does not end');
    const conclusion = await Promise.race([conclude(), late(CONCLUDING_MS)]);
    return conclusion ?? cannot('the attacker does not get its responses');
  } catch (error) {
    return cannot((error as Error).message);
  }
}
