import { setTimeout as reallyPause } from 'node:timers/promises';
import { makeClock, type VirtualClock } from '#test/support/virtual-clock.ts';

/** The time of this whole process: its clock, `Date.now` and its timers. Work of the event loop itself stays real. */
export type ProcessTime = Pick<VirtualClock, 'now' | 'sleep' | 'stalled'> & {
  /** Lets time pass, as fast as the machine does the due work. */
  pass(ms: number): Promise<void>;
  /** Waits for real work, such as a call. Virtual time passes meanwhile, because the work can wait for it. */
  passUntil<T>(work: Promise<T>): Promise<T>;
  /** Runs real turns of the event loop until all started work has ended or waits for time. */
  settle(): Promise<void>;
};

type Timer = { on: boolean; unref(): Timer; ref(): Timer };

const real = { clearTimeout: globalThis.clearTimeout, clearInterval: globalThis.clearInterval };
/** Work that takes longer than PATIENCE_MS (real) gets MOMENT_MS (virtual) again and again. */
const [PATIENCE_MS, MOMENT_MS] = [50, 100];
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Puts `Date.now`, setTimeout and setInterval of this process permanently under a virtual clock that starts at `start`
 * (epoch ms): code that uses the machine's clock (ticks, sweep, liveness, queues) then runs in virtual time. Yielding
 * takes no time.
 * @param isBusy whether real work, such as a commit, is in progress
 */
export function takeProcessTime(start: number, isBusy: () => boolean): ProcessTime {
  /** Whether work may have started since the last `settle`. */
  let mayHaveWork = true;
  const settle = async (): Promise<void> => {
    do await turn();
    while (isBusy() || process.getActiveResourcesInfo().includes('Immediate'));
  };
  const clock = makeClock(start, async () => {
    if (!mayHaveWork) return;
    mayHaveWork = false;
    await settle();
  });

  const newTimer = (): Timer => {
    const timer: Timer = { on: true, unref: () => timer, ref: () => timer };
    return timer;
  };
  const setTimeout = (work: (...values: unknown[]) => void, ms = 0, ...values: unknown[]): Timer => {
    const timer = newTimer();
    clock.at(clock.now() + Math.max(1, ms), () => {
      if (!timer.on) return;
      timer.on = false;
      mayHaveWork = true;
      work(...values);
    });
    return timer;
  };
  const setInterval = (work: () => void, ms: number): Timer => {
    const timer = newTimer();
    // The work of intervals (liveness file, free disk space) is not waited for, because no other work depends on it.
    const again = (): void =>
      clock.at(clock.now() + ms, () => {
        if (!timer.on) return;
        work();
        again();
      });
    again();
    return timer;
  };
  const clear =
    (clearReal: (timer: never) => void) =>
    (timer: Timer | NodeJS.Timeout | undefined): void => {
      if (timer && 'on' in timer) timer.on = false;
      else clearReal(timer as never);
    };
  Date.now = clock.now;
  Object.assign(globalThis, {
    setTimeout,
    setInterval,
    clearTimeout: clear(real.clearTimeout),
    clearInterval: clear(real.clearInterval),
  });

  const pass = (ms: number): Promise<void> => {
    mayHaveWork = true;
    return clock.runUntil(clock.now() + ms);
  };
  return {
    now: clock.now,
    stalled: clock.stalled,
    sleep: (ms) =>
      clock.sleep(ms).then(() => {
        mayHaveWork = true;
      }),
    pass,
    passUntil: async (work) => {
      const ended = Promise.allSettled([work]).then(() => true);
      while (!(await Promise.race([ended, reallyPause(PATIENCE_MS, false)]))) await pass(MOMENT_MS);
      return work;
    },
    settle,
  };
}
