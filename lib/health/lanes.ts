import type { Outcome } from '#lib/checks/check-type.ts';
import { FairShares } from '#lib/platform/fair-shares.ts';
import type { Clock } from '#lib/platform/ports.ts';

/** Open probes of one process, of each lane. */
const QUICK_PLACES = 250;
const SLOW_PLACES = 100;
/** Probes of one tenant that are open to one host at the same time. */
const PER_HOST = 10;
/** A probe waits so long for a place; whoever has none then goes back to the queue. With its time-out, less than a run. */
const WAIT_MS = 20_000;
/** A probe that took so long is slow, whatever it found. */
const SLOW_MS = 2_000;

/** `quick`: probes that were over in a moment last time. `slow`: the others, which hold nobody up but each other. */
export type Lane = 'quick' | 'slow';

export type Lanes = Record<Lane, FairShares>;

/** The places for probes of one process. */
export function makeLanes(clock: Clock): Lanes {
  const lane = (places: number) => new FairShares({ places, per_target: PER_HOST, wait_ms: WAIT_MS }, clock);
  return { quick: lane(QUICK_PLACES), slow: lane(SLOW_PLACES) };
}

/** Whether the next probe of a check belongs on the slow lane, by the outcome of this one. */
export const isSlow = ({ error_kind, latency_ms }: Outcome): boolean =>
  error_kind === 'timeout' || latency_ms >= SLOW_MS;
