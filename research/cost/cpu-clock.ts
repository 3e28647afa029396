import type { Clock } from '#lib/platform/ports.ts';
import { makeClock } from '#test/support/virtual-clock.ts';

/** Sum of the CPU time (ms) charged to one process of a function. */
export type CpuMeter = { cpu_ms: number };

/**
 * Virtual time that attributes the CPU time of this process: everything after a timer with a meter, until the next
 * timer, is charged to that meter. Nothing else runs in between, because time advances only when no work is left.
 */
export type CpuClock = {
  now(): number;
  /** Calls `work` at a time (epoch ms), not charged to a meter. */
  at(time: number, work: () => void): void;
  /** Calls `work` after a delay (ms), charged to `meter` if given. */
  in(ms: number, work: () => void, meter?: CpuMeter): void;
  sleep(ms: number, meter?: CpuMeter): Promise<void>;
  /** Returns the clock of a function. */
  of(meter: CpuMeter): Clock;
  /** Runs work that is not charged to a meter. */
  uncharged<T>(work: () => T): T;
  /** Stops charging until the next timer. */
  stopCharging(): void;
  runFor(ms: number): Promise<void>;
};

/** Waits until all work that does not depend on the clock is done, including code that yields. */
async function settled(): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (process.getActiveResourcesInfo().includes('Immediate'));
}

export function makeCpuClock(start: number): CpuClock {
  const clock = makeClock(start, settled);
  let current: CpuMeter | undefined;
  let since = process.cpuUsage();

  function chargeTo(to: CpuMeter | undefined): void {
    const { user, system } = process.cpuUsage(since);
    if (current) current.cpu_ms += (user + system) / 1000;
    since = process.cpuUsage();
    current = to;
  }
  const at = (time: number, work: () => void, meter?: CpuMeter): void =>
    clock.at(time, () => {
      chargeTo(meter);
      work();
    });
  const later = (ms: number, work: () => void, meter?: CpuMeter): void => at(clock.now() + ms, work, meter);
  const sleep = (ms: number, meter?: CpuMeter) => new Promise<void>((resolve) => later(ms, resolve, meter));

  return {
    now: clock.now,
    at,
    in: later,
    sleep,
    of: (meter) => ({ now: clock.now, sleep: (ms) => sleep(ms, meter), stalled: () => 0 }),
    uncharged: (work) => {
      const before = current;
      chargeTo(undefined);
      try {
        return work();
      } finally {
        chargeTo(before);
      }
    },
    stopCharging: () => chargeTo(undefined),
    runFor: async (ms) => {
      await clock.runUntil(clock.now() + ms);
      chargeTo(undefined);
    },
  };
}
