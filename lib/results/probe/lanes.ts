import type { ProbeOutcome } from '#lib/checks/outcome.ts';
import type { Ports } from '#lib/env.ts';
import type { Job } from '#lib/messages.ts';
import type { Clock } from '#lib/platform/ports.ts';
import { FairSemaphore, NO_PERMIT, type PermitRequest } from '#lib/platform/sharing/fair-semaphore.ts';
import { probeEntryId } from '#lib/schedule/entries.ts';
import { lateFrom } from '#lib/schedule/jobs.ts';

/** Open probes of one process, of each lane. */
const QUICK_PLACES = 250;
const SLOW_PLACES = 100;
/** Probes of one tenant that are open to one host at the same time. */
const PER_HOST = 10;
/** Large bodies that are held at once, of up to 1 MB each, and twice as much as text. */
const LARGE_BODIES = 20;
/** How long a probe waits for a place before its job goes back to the queue; with its time-out less than a run. */
const WAIT_MS = 20_000;
/** A probe that took so long is slow, whatever it found. */
const SLOW_MS = 2_000;

/** `slow`: checks whose last probe took long; they hold up only each other. `quick`: all others. */
export type Lane = 'quick' | 'slow';

/** `large`: places for bodies of more than 64 KB that are held in memory (probe.ts). */
export type Lanes = Record<Lane | 'large', FairSemaphore> & { begin: Begin; enter: Enter };

/**
 * Reads and begins the slot of a cell as soon as it is its turn.
 *
 * @returns ABANDONED if the next slot would be due before its checks had begun; NO_PERMIT if the wait was too long
 */
type Enter = <T>(job: Job, work: () => Promise<T>) => Promise<T | typeof ABANDONED | typeof NO_PERMIT>;

/** What `enter` answers for a slot that is left out: it was not begun. */
export const ABANDONED = Symbol('too late');

/** The places for probes of one process. */
export function makeLanes({ clock, settings }: Pick<Ports, 'clock' | 'settings'>): Lanes {
  const lane = (places: number) =>
    new FairSemaphore({ permits: places, per_target: PER_HOST, wait_ms: WAIT_MS }, clock);
  const large = new FairSemaphore({ permits: LARGE_BODIES, wait_ms: WAIT_MS }, clock);
  const atOnce = settings.PROBES_AT_ONCE;
  const begin: Begin = atOnce < QUICK_PLACES ? beginFew(atOnce, clock) : (_claim, probe) => probe();
  return { quick: lane(QUICK_PLACES), slow: lane(SLOW_PLACES), large, begin, enter: cellsInTurn(clock) };
}

/** Cells that are read, and whose checks wait for places, at the same time: work for a moment, not more. */
const CELLS_AT_ONCE = 16;
/** Turns remembered: a cell that is forgotten counts as one that had none yet. */
const MAX_REMEMBERED = 20_000;

/** So many turns tell how long one takes; those that wait for hosts that hang count as so long (ms) and no longer. */
const [TURNS_IN_MEAN, LONGEST_TURN_MS] = [16, 500];

/**
 * Where more is due than can be done, what cannot be in time must cost nothing: a cell waits unread for its turn, and
 * not for one in which its checks could not begin any more. Longer intervals come first, as each of their slots says
 * more; of the same interval the cell whose turn is longest ago, so that each loses the same share.
 */
function cellsInTurn(clock: Pick<Clock, 'now' | 'sleep'>): Enter {
  const cells = new FairSemaphore({ permits: CELLS_AT_ONCE, wait_ms: WAIT_MS }, clock);
  const turns = new Map<string, number>();
  let turn = 0;
  /** What a turn took lately (ms), from the reading of its cell until each of its checks had begun. */
  let takes = 0;
  return async <T>(job: Job, work: () => Promise<T>) => {
    const { tenant_id, cell, interval_seconds, retry } = job;
    const name = probeEntryId(cell, interval_seconds);
    const order = (turns.get(name) ?? 0) - interval_seconds * TURNS;
    const until = lateFrom(job) - (retry ? 0 : takes);
    const answer = await cells.run<T | typeof ABANDONED>({ tenant: tenant_id, order, until }, async () => {
      // A turn that comes too late is none: its cell is the first of the next slot.
      if (clock.now() >= until) return ABANDONED;
      // A retry of one check is not the turn of its cell.
      if (retry) return work();
      turns.delete(name);
      turns.set(name, ++turn);
      if (turns.size > MAX_REMEMBERED) turns.delete(turns.keys().next().value!);
      const began = clock.now();
      const begun = await work();
      const took = Math.min(clock.now() - began, LONGEST_TURN_MS);
      takes += (took - takes) / TURNS_IN_MEAN;
      return begun;
    });
    return answer === NO_PERMIT && clock.now() >= until ? ABANDONED : answer;
  };
}

/** More than the turns of any process; with the longest interval (s) still an exact number. */
const TURNS = 1e10;

/** Runs a probe as soon as it may begin. */
type Begin = <T>(claim: PermitRequest, probe: () => Promise<T>) => Promise<T | typeof NO_PERMIT>;

/** A probe that hangs for longer (ms) takes no CPU, and no place from those that wait to begin. */
const BEGINS_MS = 250;

/**
 * Where a process has but a part of a CPU: more probes at once that connect and shake hands would measure how they wait
 * for it.
 */
function beginFew(places: number, clock: Pick<Clock, 'now' | 'sleep'>): Begin {
  const starts = new FairSemaphore({ permits: places, wait_ms: WAIT_MS }, clock);
  return async <T>(claim: PermitRequest, probe: () => Promise<T>) => {
    let ended: Promise<T> | undefined;
    const begun = await starts.run(claim, async () => {
      ended = probe();
      await Promise.race([ended.catch(() => {}), clock.sleep(BEGINS_MS)]);
    });
    return begun === NO_PERMIT ? begun : ended!;
  };
}

/**
 * Whether the next probe of a check belongs on the slow lane, by the outcome of this one. With an interval as short as
 * what is slow it never does: it cannot hold its place for longer, and where there is more to do than can be done, its
 * next slot is due before the message to the slow lane comes, each time.
 */
export const isSlow = ({ error_kind, latency_ms }: ProbeOutcome, interval_seconds: number): boolean =>
  interval_seconds * 1000 > SLOW_MS && (error_kind === 'timeout' || latency_ms >= SLOW_MS);
