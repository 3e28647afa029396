import type { ProbeOutcome } from '#lib/checks/outcome.ts';
import type { Ports } from '#lib/env.ts';
import type { Job } from '#lib/messages.ts';
import type { Clock } from '#lib/platform/ports.ts';
import { FairSemaphore, NO_PERMIT, type PermitRequest } from '#lib/platform/sharing/fair-semaphore.ts';
import { probeEntryId } from '#lib/schedule/entries.ts';
import { lateFrom } from '#lib/schedule/jobs.ts';

/** Permits for concurrent probes, per lane and process. FairSemaphore adds a fifth to permits, but not to PER_HOST. */
const QUICK_PERMITS = 250;
const SLOW_PERMITS = 100;
/** Maximum number of concurrent probes of one tenant to one host, per lane and process. */
const PER_HOST = 10;
/** Permits for large bodies in memory, up to 1 MB each, and twice that as text. */
const LARGE_BODIES = 20;
/** Maximum wait (ms) for a permit before the job returns to the queue; wait and probe fit into a function's timeout. */
const WAIT_MS = 20_000;
/** Duration (ms) from which a probe counts as slow, as does a timeout (`isSlow`). */
const SLOW_MS = 2_000;

/** `slow`: checks whose last probe was slow, and manual runs; they delay only each other. `quick`: all others. */
export type Lane = 'quick' | 'slow';

/** `large`: permits for bodies over 64 KB in memory (probe.ts). */
export type Lanes = Record<Lane | 'large', FairSemaphore> & { begin: Begin; enter: Enter };

/** Runs a job at its turn. Returns SKIPPED if its next slot or retry is due first, NO_PERMIT after WAIT_MS. */
type Enter = <T>(job: Job, work: () => Promise<T>) => Promise<T | typeof SKIPPED | typeof NO_PERMIT>;

/** Returned by `enter` for a skipped job; the work was not started. */
export const SKIPPED = Symbol('skipped');

/** Creates the permits for probes of one process. */
export function makeLanes({ clock, settings }: Pick<Ports, 'clock' | 'settings'>): Lanes {
  const lane = (permits: number) =>
    new FairSemaphore({ permits: permits, per_target: PER_HOST, wait_ms: WAIT_MS }, clock);
  const large = new FairSemaphore({ permits: LARGE_BODIES, wait_ms: WAIT_MS }, clock);
  const atOnce = settings.PROBES_AT_ONCE;
  const begin: Begin = atOnce < QUICK_PERMITS ? limitStarts(atOnce, clock) : (_claim, probe) => probe();
  return { quick: lane(QUICK_PERMITS), slow: lane(SLOW_PERMITS), large, begin, enter: cellsInTurn(clock) };
}

/** Permits for cells that are read, and whose checks wait for permits, at the same time. */
const CELLS_AT_ONCE = 16;
/** Maximum number of remembered turns; a forgotten cell counts as one without a turn. */
const MAX_REMEMBERED = 20_000;

/** Number of turns over which the duration is averaged, and maximum counted duration (ms) of a turn: hosts may hang. */
const [TURNS_IN_MEAN, MAX_TURN_MS] = [16, 500];

/**
 * Creates `enter`, which sheds overload before the read: a cell whose turn is too late is skipped. Longer intervals of
 * a tenant come first, because each slot matters more; then the oldest turn, so that each cell loses the same share.
 */
function cellsInTurn(clock: Pick<Clock, 'now' | 'sleep'>): Enter {
  const cells = new FairSemaphore({ permits: CELLS_AT_ONCE, wait_ms: WAIT_MS }, clock);
  const turns = new Map<string, number>();
  let turn = 0;
  let meanMs = 0;
  return async <T>(job: Job, work: () => Promise<T>) => {
    const { tenant_id, cell, interval_seconds, retry } = job;
    const name = probeEntryId(cell, interval_seconds);
    const order = (turns.get(name) ?? 0) - interval_seconds * INTERVAL_WEIGHT;
    const until = lateFrom(job) - (retry ? 0 : meanMs);
    const outcome = await cells.run<T | typeof SKIPPED>({ tenant: tenant_id, order, until }, async () => {
      // A turn that is too late does not count, so its cell comes first in the next slot.
      if (clock.now() >= until) return SKIPPED;
      // A retry of one check does not count as the turn of its cell.
      if (retry) return work();
      turns.delete(name);
      turns.set(name, ++turn);
      if (turns.size > MAX_REMEMBERED) turns.delete(turns.keys().next().value!);
      const began = clock.now();
      const begun = await work();
      const took = Math.min(clock.now() - began, MAX_TURN_MS);
      meanMs += (took - meanMs) / TURNS_IN_MEAN;
      return begun;
    });
    return outcome === NO_PERMIT && clock.now() >= until ? SKIPPED : outcome;
  };
}

/** Weight of an interval (s) in the order, above any number of turns; its product with the longest one is exact. */
const INTERVAL_WEIGHT = 1e10;

/** Starts a probe when few others are starting. Returns NO_PERMIT after WAIT_MS; the probe was not started. */
type Begin = <T>(claim: PermitRequest, probe: () => Promise<T>) => Promise<T | typeof NO_PERMIT>;

/** Maximum time (ms) for which a starting probe holds a permit; one that hangs longer uses no CPU. */
const BEGINS_MS = 250;

/** Creates `begin` for a process with part of a CPU: more concurrent handshakes would add CPU wait to latencies. */
function limitStarts(permits: number, clock: Pick<Clock, 'now' | 'sleep'>): Begin {
  const starts = new FairSemaphore({ permits: permits, wait_ms: WAIT_MS }, clock);
  return async <T>(claim: PermitRequest, probe: () => Promise<T>) => {
    let ended: Promise<T> | undefined;
    const begun = await starts.run(claim, async () => {
      ended = probe();
      await Promise.race([ended.catch(() => {}), clock.sleep(BEGINS_MS)]);
    });
    return begun === NO_PERMIT ? begun : ended!;
  };
}

/** Whether the next probe belongs on the slow lane; not at intervals up to SLOW_MS, where it could come too late. */
export const isSlow = ({ error_kind, latency_ms }: ProbeOutcome, interval_seconds: number): boolean =>
  interval_seconds * 1000 > SLOW_MS && (error_kind === 'timeout' || latency_ms >= SLOW_MS);
