import type { Clock } from './ports.ts';

/** Sampling interval, and the delay up to which a sample does not count as a stall (ms). */
const SAMPLE_EVERY_MS = 50;
const TOLERATED_MS = 50;

/** Returns a meter of event loop stalls. It measures only while work that a stall can harm is watched. */
export function loopMeter() {
  let stalled = 0;
  let watchers = 0;
  let due = 0;
  let timer: NodeJS.Timeout | undefined;
  const lag = (): number => {
    const late = performance.now() - due;
    return late > TOLERATED_MS ? late : 0;
  };
  const sample = (): void => {
    stalled += lag();
    due = performance.now() + SAMPLE_EVERY_MS;
  };
  return {
    /** Starts sampling if it is not running. @returns a function to be called once when the watched work ends */
    watch(): () => void {
      if (watchers++ === 0) {
        due = performance.now() + SAMPLE_EVERY_MS;
        timer = setInterval(sample, SAMPLE_EVERY_MS).unref();
      }
      return () => {
        if (--watchers > 0) return;
        stalled += lag();
        clearInterval(timer);
      };
    },
    /** Total stall so far, in ms, including the current one. */
    stalled: (): number => (watchers > 0 ? stalled + lag() : stalled),
  };
}

export const processLoop = loopMeter();

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  stalled: processLoop.stalled,
};
