/** Time (ms) per turn of the event loop in which work starts. */
const TURN_MS = 8;

/** `now` in ms; `nextTurn` runs in the next turn of the event loop, `settled` when all running code waits. */
type Loop = Record<'nextTurn' | 'settled', (then: () => void) => void> & { now(): number };

const ownLoop: Loop = {
  now: () => performance.now(),
  // node runs its ticks one by one, and all microtasks after each.
  settled: (then) => queueMicrotask(() => process.nextTick(then)),
  nextTurn: setImmediate,
};

/** Begins work of a tenant or client at once, or in a later turn of the event loop. */
export type LoopTurns = (from: string, begin: () => void) => void;

/**
 * Begins work for a few ms per turn of the event loop, and serves tenants and clients in turn: one of them cannot delay
 * the others. Work is a request, or what follows a read of the table: without a limit, hundreds of such continuations
 * run in one turn, because a local read waits for nothing.
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
    const [from, line] = waiting.entries().next().value!;
    waiting.delete(from);
    const begin = line.shift()!;
    if (line.length > 0) waiting.set(from, line);
    loop.settled(serve);
    begin();
  }

  return (from, begin) => {
    if (waiting.size === 0 && hasTime()) return begin();
    const line = waiting.get(from);
    if (line) line.push(begin);
    else waiting.set(from, [begin]);
  };
}
