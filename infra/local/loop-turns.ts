/** Time (ms) per turn of the event loop in which work starts. */
const TURN_MS = 8;

/** `now`: ms. `nextTurn` calls back in the next turn of the event loop, `settled` when all running code waits. */
type Loop = Record<'nextTurn' | 'settled', (then: () => void) => void> & { now(): number };

const ownLoop: Loop = {
  now: () => performance.now(),
  // node runs its ticks one by one, and all microtasks after each.
  settled: (then) => queueMicrotask(() => process.nextTick(then)),
  nextTurn: setImmediate,
};

/** Begins work of a tenant or client immediately, or in a later turn of the event loop. */
export type LoopTurns = (from: string, begin: () => void) => void;

/**
 * Creates a function that begins work for 8 ms per turn of the event loop and serves tenants and clients one after the
 * other, so that one cannot delay the others. Work is a request, or the continuation of a read of the table: without a
 * limit, hundreds of continuations would run in one turn, because a local read does not wait.
 */
export function loopTurns(loop: Loop = ownLoop): LoopTurns {
  /** Waiting work by tenant or client, the next to be served first. */
  const waiting = new Map<string, (() => void)[]>();
  /** Start of the current turn; undefined if no work began in it. */
  let began: number | undefined;

  function open(): void {
    began = loop.now();
    loop.nextTurn(() => {
      began = undefined;
      if (waiting.size > 0) serve();
    });
  }

  function hasTime(): boolean {
    if (began === undefined) open();
    return loop.now() - began! < TURN_MS;
  }

  function serve(): void {
    if (waiting.size === 0 || !hasTime()) return;
    const [from, queue] = waiting.entries().next().value!;
    waiting.delete(from);
    const begin = queue.shift()!;
    if (queue.length > 0) waiting.set(from, queue);
    loop.settled(serve);
    begin();
  }

  return (from, begin) => {
    if (waiting.size === 0 && hasTime()) return begin();
    const queue = waiting.get(from);
    if (queue) queue.push(begin);
    else waiting.set(from, [begin]);
  };
}
