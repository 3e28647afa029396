import { ownLoop } from './event-loop.ts';
import type { Clock } from './ports.ts';

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  stalled: ownLoop.stalled,
};
