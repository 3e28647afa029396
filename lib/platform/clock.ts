import type { Clock } from './ports.ts';

/** How often the loop is looked at, and how late a look may be (ms): one long turn is no standstill. */
const LOOK_EVERY_MS = 50;
const TOLERATED_MS = 50;

/** Measures how long the event loop of this process stands still, while something is under way that this can harm. */
export function loopMeter() {
  let stalled = 0;
  let underWay = 0;
  let due = 0;
  let timer: NodeJS.Timeout | undefined;
  const lag = (): number => {
    const late = performance.now() - due;
    return late > TOLERATED_MS ? late : 0;
  };
  const look = (): void => {
    stalled += lag();
    due = performance.now() + LOOK_EVERY_MS;
  };
  return {
    /** Begins to look, unless it does already. @returns to be called once, when what it is done for is over */
    watch(): () => void {
      if (underWay++ === 0) {
        due = performance.now() + LOOK_EVERY_MS;
        timer = setInterval(look, LOOK_EVERY_MS).unref();
      }
      return () => {
        if (--underWay > 0) return;
        stalled += lag();
        clearInterval(timer);
      };
    },
    /** Ms for which the loop has stood still so far, this moment included. */
    stalled: (): number => (underWay > 0 ? stalled + lag() : stalled),
  };
}

/** Of this process. Deadlines watch it; the clock tells of it. */
export const ownLoop = loopMeter();

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  stalled: ownLoop.stalled,
};
