import type { Clock } from '#lib/platform/ports.ts';

/** A clock that advances only when no work is left at the present time. */
export type VirtualClock = Clock & {
  /** Calls `work` at a time (epoch ms). Work for the same time runs in the order in which it was added. */
  at(time: number, work: () => void): void;
  /** Advances to `end`, or stops after a timer when `isOver` returns true. */
  runUntil(end: number, isOver?: () => boolean): Promise<void>;
};

type Timer = { time: number; order: number; work: () => void };

const isBefore = (a: Timer, b: Timer): boolean => a.time < b.time || (a.time === b.time && a.order < b.order);

/** Waits until every promise that does not need the clock has settled. */
const drain = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Creates a clock at `start`. @param settled resolves when no work is left at the present time */
export function makeClock(start: number, settled: () => Promise<void> = drain): VirtualClock {
  let now = start;
  let order = 0;
  const heap = makeHeap();
  const at = (time: number, work: () => void): void => heap.push({ time: Math.max(now, time), order: order++, work });
  return {
    now: () => Math.floor(now),
    sleep: (ms) => new Promise((resolve) => at(now + ms, resolve)),
    stalled: () => 0,
    at,
    runUntil: async (end, isOver = () => false) => {
      await settled();
      for (let timer = heap.first(); timer && timer.time <= end; timer = heap.first()) {
        heap.shift();
        now = timer.time;
        timer.work();
        await settled();
        if (isOver()) return;
      }
      now = end;
    },
  };
}

/** Creates a binary heap whose first timer is the earliest. */
function makeHeap() {
  const heap: Timer[] = [];
  return {
    first: (): Timer | undefined => heap[0],
    push: (timer: Timer): void => {
      let i = heap.push(timer) - 1;
      while (i > 0) {
        const parent = (i - 1) >> 1;
        if (!isBefore(timer, heap[parent]!)) break;
        heap[i] = heap[parent]!;
        i = parent;
      }
      heap[i] = timer;
    },
    shift: (): void => {
      const last = heap.pop()!;
      if (heap.length === 0) return;
      let i = 0;
      for (;;) {
        const left = 2 * i + 1;
        if (left >= heap.length) break;
        const child = left + 1 < heap.length && isBefore(heap[left + 1]!, heap[left]!) ? left + 1 : left;
        if (!isBefore(heap[child]!, last)) break;
        heap[i] = heap[child]!;
        i = child;
      }
      heap[i] = last;
    },
  };
}
