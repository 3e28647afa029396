import { AppError } from '#lib/platform/errors.ts';
import type { Clock, Ids, Table, Write, WriteOutcome } from '#lib/platform/ports.ts';

/** What an attempt answers when another writer was in its way: read anew and try again. */
export const RETRY = Symbol('again');

const DEADLINE_MS = 10_000;
const JITTER_MS = 15;

/**
 * Repeats `attempt` until it answers something else than RETRY. Waits 0 to 15 ms × tries in between, so that writers
 * of one item spread out. After 10 s it throws UNAVAILABLE: nothing was written by the last attempt.
 * @param attempt gets the number of tries before it, from 0
 */
export async function retryOnConflict<T>(
  ports: { clock: Clock; ids: Ids },
  attempt: (tries: number) => Promise<T | typeof RETRY>,
): Promise<T> {
  const deadline = ports.clock.now() + DEADLINE_MS;
  for (let tries = 0; ; tries++) {
    const answer = await attempt(tries);
    if (answer !== RETRY) return answer;
    const wait = ports.ids.random() * JITTER_MS * (tries + 1);
    if (ports.clock.now() + wait >= deadline) throw tooBusy();
    await ports.clock.sleep(wait);
  }
}

const tooBusy = (): AppError =>
  new AppError('UNAVAILABLE', 'Too many writers at once. Nothing was changed; send it again.', {
    headers: { 'retry-after': '1' },
  });

/**
 * One `transact` of items with fresh versions; ok also when an earlier sending of these very writes had done them and
 * only its answer was lost: then what stands in the way carries one's own version.
 */
export async function commit(ports: { table: Table }, writes: Write[]): Promise<WriteOutcome> {
  const outcome = await ports.table.transact(writes);
  if (outcome.ok) return outcome;
  const done = outcome.failed.some((at) => {
    const write = writes[at];
    return write !== undefined && 'put' in write && write.put.v !== undefined && outcome.present[at]?.v === write.put.v;
  });
  return done ? { ok: true } : outcome;
}

const tails = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Runs `work` after everything that was asked under the same `name` before it, within this process and this `owner`
 * (a table). Only spares retries: what must hold, versions hold.
 */
export async function oneAtATime<T>(owner: object, name: string, work: () => Promise<T>): Promise<T> {
  const queue = tails.get(owner) ?? new Map<string, Promise<unknown>>();
  tails.set(owner, queue);
  const before = queue.get(name);
  const run = before ? before.then(work, work) : work();
  queue.set(name, run);
  try {
    return await run;
  } finally {
    if (queue.get(name) === run) queue.delete(name);
  }
}
