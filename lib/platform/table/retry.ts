import { AppError } from '#lib/platform/errors.ts';
import type { Clock, Ids, Table, Write, WriteOutcome } from '#lib/platform/ports.ts';

/** Returned by an attempt that lost a version conflict: read again and retry. */
export const RETRY = Symbol('retry');

const DEADLINE_MS = 10_000;
const JITTER_MS = 15;

/**
 * Repeats `attempt` until it does not return RETRY, with growing jitter so that writers of one item spread out. Throws
 * UNAVAILABLE after 10 s: the last attempt wrote nothing. `tries`: number of previous tries.
 */
export async function retryOnConflict<T>(
  ports: { clock: Clock; ids: Ids },
  attempt: (tries: number) => Promise<T | typeof RETRY>,
): Promise<T> {
  const deadline = ports.clock.now() + DEADLINE_MS;
  for (let tries = 0; ; tries++) {
    const result = await attempt(tries);
    if (result !== RETRY) return result;
    const wait = ports.ids.random() * JITTER_MS * (tries + 1);
    if (ports.clock.now() + wait >= deadline) throw conflictError();
    await ports.clock.sleep(wait);
  }
}

const conflictError = (): AppError =>
  new AppError('UNAVAILABLE', 'Too many concurrent writers. Nothing was changed; retry.', {
    headers: { 'retry-after': '1' },
  });

/** Commits items with new versions. Also succeeds if an earlier attempt was committed and its response was lost. */
export async function commit(ports: { table: Table }, writes: Write[]): Promise<WriteOutcome> {
  const outcome = await ports.table.transact(writes);
  if (outcome.ok) return outcome;
  const isCommitted = outcome.failed.some((i) => {
    const write = writes[i];
    return write !== undefined && 'put' in write && write.put.v !== undefined && outcome.present[i]?.v === write.put.v;
  });
  return isCommitted ? { ok: true } : outcome;
}

const tails = new WeakMap<object, Map<string, Promise<unknown>>>();

/** Runs `work` after earlier work of the same `name` in this process; reduces conflicts, but is not a lock. */
export async function oneAtATime<T>(owner: object, name: string, work: () => Promise<T>): Promise<T> {
  const queue = tails.get(owner) ?? new Map<string, Promise<unknown>>();
  tails.set(owner, queue);
  const previous = queue.get(name);
  const run = previous ? previous.then(work, work) : work();
  queue.set(name, run);
  try {
    return await run;
  } finally {
    if (queue.get(name) === run) queue.delete(name);
  }
}
