import { networkOf } from '#lib/platform/sharing/memory-limiter.ts';

/** Time (ms) per turn of the event loop in which requests start. */
const TURN_MS = 8;

/** `now` in ms; `nextTurn` runs in the next turn of the event loop, `settled` when all running code waits. */
type Loop = Record<'nextTurn' | 'settled', (then: () => void) => void> & { now(): number };

const ownLoop: Loop = {
  now: () => performance.now(),
  // node runs its ticks one by one, and all microtasks after each.
  settled: (then) => queueMicrotask(() => process.nextTick(then)),
  nextTurn: setImmediate,
};

/** Starts requests, few ms per event loop turn, in turn by address: one client cannot delay probes. */
export function requestTurns(loop: Loop = ownLoop): (address: string, begin: () => void) => void {
  /** Waiting requests by address, the next to be served first. */
  const waiting = new Map<string, (() => void)[]>();
  /** Start of the current turn; undefined if no request started in it. */
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
    const [network, line] = waiting.entries().next().value!;
    waiting.delete(network);
    const begin = line.shift()!;
    if (line.length > 0) waiting.set(network, line);
    loop.settled(serve);
    begin();
  }

  return (address, begin) => {
    if (waiting.size === 0 && hasTime()) return begin();
    const network = networkOf(address);
    const line = waiting.get(network);
    if (line) line.push(begin);
    else waiting.set(network, [begin]);
  };
}
