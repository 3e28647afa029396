import type { Clock } from '#lib/platform/ports.ts';
import { makeClock } from '#test/support/virtual-clock.ts';

/** Somebody who is charged for the CPU that he takes (ms). */
export type Account = { cpu_ms: number };

/**
 * Virtual time that also tells who takes the CPU of this process meanwhile: what happens from a timer of somebody up to
 * the next timer is his. Nothing else runs in between, as time passes only when nothing is left to do in it.
 */
export type CpuClock = {
  now(): number;
  /** Calls `work` when the time (epoch ms) has come, on nobody's account. */
  at(time: number, work: () => void): void;
  /** Calls `work` in so many ms, on the account of `whose`; of nobody's without one. */
  in(ms: number, work: () => void, whose?: Account): void;
  sleep(ms: number, whose?: Account): Promise<void>;
  /** The clock as a function sees it. */
  of(whose: Account): Clock;
  /** Does work that is nobody's. */
  apart<T>(work: () => T): T;
  /** What follows up to the next timer is nobody's. */
  leave(): void;
  runFor(ms: number): Promise<void>;
};

/** Until nothing is left to do without the clock, also of what gives others their turn now and then. */
async function settled(): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (process.getActiveResourcesInfo().includes('Immediate'));
}

export function makeCpuClock(start: number): CpuClock {
  const clock = makeClock(start, settled);
  let current: Account | undefined;
  let since = process.cpuUsage();

  function change(to: Account | undefined): void {
    const { user, system } = process.cpuUsage(since);
    if (current) current.cpu_ms += (user + system) / 1000;
    since = process.cpuUsage();
    current = to;
  }
  const at = (time: number, work: () => void, whose?: Account): void =>
    clock.at(time, () => {
      change(whose);
      work();
    });
  const later = (ms: number, work: () => void, whose?: Account): void => at(clock.now() + ms, work, whose);
  const sleep = (ms: number, whose?: Account) => new Promise<void>((resolve) => later(ms, resolve, whose));

  return {
    now: clock.now,
    at,
    in: later,
    sleep,
    of: (whose) => ({ now: clock.now, sleep: (ms) => sleep(ms, whose), stalled: () => 0 }),
    apart: (work) => {
      const before = current;
      change(undefined);
      try {
        return work();
      } finally {
        change(before);
      }
    },
    leave: () => change(undefined),
    runFor: async (ms) => {
      await clock.runUntil(clock.now() + ms);
      change(undefined);
    },
  };
}
