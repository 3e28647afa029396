import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loopTurns } from '#infra/local/loop-turns.ts';

const A = '192.0.2.1';
const B = '192.0.2.2';
const C = '192.0.2.3';

/** Creates an event loop whose time passes only with the work of requests. */
function manualLoop() {
  let now = 0;
  const [turns, settling]: (() => void)[][] = [[], []];
  const settle = () => {
    for (let then = settling!.shift(); then; then = settling!.shift()) then();
  };
  const take = loopTurns({
    now: () => now,
    nextTurn: (then) => void turns!.push(then),
    settled: (then) => void settling!.push(then),
  });
  const begun: string[] = [];
  return {
    begun,
    /** Sends a request that takes `ms`. */
    send: (address: string, name: string, ms: number) => {
      take(address, () => {
        begun.push(name);
        now += ms;
      });
      settle();
    },
    /** @returns the requests that started in the next turn */
    turn: () => {
      const before = begun.length;
      for (const then of turns!.splice(0)) then();
      settle();
      return begun.slice(before);
    },
    isAtRest: () => turns!.length === 0,
    now: () => now,
  };
}

test('starts requests at once while a turn of the event loop has time, and the others in later turns', () => {
  const { send, turn, begun, isAtRest } = manualLoop();
  for (let n = 1; n <= 6; n++) send(A, `a${n}`, 5);
  expect(begun).toEqual(['a1', 'a2']);
  expect(turn()).toEqual(['a3', 'a4']);
  expect(turn()).toEqual(['a5', 'a6']);
  expect(turn()).toEqual([]);
  expect(isAtRest()).toBe(true);
});

test('delays a request by only one turn when another client sends a hundred at once', () => {
  const { send, turn } = manualLoop();
  for (let n = 1; n <= 100; n++) send(A, `a${n}`, 10);
  send(B, 'b', 1);
  expect(turn()).toEqual(['a2']);
  expect(turn()).toEqual(['b', 'a3']);
});

test('starts every request once, in order per address, and none in a turn whose time is over', () => {
  const address = fc.constantFrom(A, B, C);
  const arrivals = fc.array(fc.tuple(address, fc.integer({ min: 0, max: 20 }), fc.boolean()));
  fc.assert(
    fc.property(arrivals, (requests) => {
      const { send, turn, begun, now, isAtRest } = manualLoop();
      for (const [n, [address, ms, isNextTurn]] of requests.entries()) {
        if (isNextTurn) turn();
        send(address, `${address} ${n}`, ms);
      }
      for (let turns = 0; !isAtRest(); turns++) {
        expect(turns).toBeLessThanOrEqual(requests.length + 1);
        const before = now();
        const last = turn().at(-1);
        const ms = last === undefined ? 0 : requests[Number(last.split(' ')[1])]![1];
        expect(now() - ms - before).toBeLessThan(8);
      }
      const sent = requests.map(([address], n) => `${address} ${n}`);
      expect(begun.toSorted()).toEqual(sent.toSorted());
      for (const address of [A, B, C]) {
        const own = (all: string[]) => all.filter((name) => name.startsWith(`${address} `));
        expect(own(begun)).toEqual(own(sent));
      }
    }),
  );
});
