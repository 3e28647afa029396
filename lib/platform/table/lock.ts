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
