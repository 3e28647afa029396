import { networkOf } from '#lib/platform/sharing/memory-limiter.ts';

/** For so long (ms) requests are begun in one turn of the event loop. */
const TURN_MS = 8;

/** `now` in ms; `nextTurn` calls once in the next turn of the event loop, `settled` when all that runs now waits. */
type Loop = Record<'nextTurn' | 'settled', (then: () => void) => void> & { now(): number };

const ownLoop: Loop = {
  now: () => performance.now(),
  // node takes its ticks one by one, and all microtasks after each.
  settled: (then) => queueMicrotask(() => process.nextTick(then)),
  nextTurn: setImmediate,
};

/**
 * Begins requests: in each turn of the event loop as many as fit into a few milliseconds, the client addresses one
 * after the other. Probes, alerts and requests of others then never wait for all that one client sends at once.
 * @returns to be called with each request
 */
export function requestTurns(loop: Loop = ownLoop): (address: string, begin: () => void) => void {
  /** By address, the next one to be served first. */
  const waiting = new Map<string, (() => void)[]>();
  /** When the turn began in which requests are begun; undefined while there are none. */
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
