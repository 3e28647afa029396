import type { AccountItem } from '#lib/access/account.ts';
import type { StateEnv } from '#lib/checks/state/on-change.ts';
import type { Env } from '#lib/env.ts';
import type { Job } from '#lib/messages.ts';
import { lazy } from '#lib/platform/lazy.ts';
import type { Item } from '#lib/platform/ports.ts';
import { NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
import { ABANDONED, type Lane, type Lanes } from '#lib/results/probe/lanes.ts';
import { probingProcess } from '#lib/results/probe/probe.ts';
import { isAhead, isLate } from '#lib/schedule/jobs.ts';
import { accountsOf } from './due-checks.ts';
import { sendNextRetry } from './retries.ts';
import { attributeBatch, type JobBatch, notStarted, type ProberState, type RunningSlot, runSlot } from './run-slot.ts';

/** When a probe last came too late for a reason of this service (epoch ms). GET /v1/health shows it. */
export type LateProbeItem = Item & { at: number };

/** It is written once in so long (ms) by a process, however many are late. */
const NOTED_EVERY_MS = 20_000;

/**
 * Takes note of probes that waited for longer than their interval, which are left as gaps. Those of a tenant that held
 * its share of the places itself say nothing of the service.
 */
function lateProbes({ ports, keys }: Env, lanes: Lanes): (job: Job) => Promise<void> {
  let noted = Number.NEGATIVE_INFINITY;
  return async ({ tenant_id, cell, slot }) => {
    if (lanes.quick.wasAtLimit(tenant_id) || lanes.slow.wasAtLimit(tenant_id)) return;
    ports.metrics.count('LateProbes');
    const at = ports.clock.now();
    if (at < noted + NOTED_EVERY_MS) return;
    noted = at;
    ports.log.warn('probes come later than their interval and are left out', { tenant_id, cell, slot });
    const put: LateProbeItem = { ...keys.lastLateProbe, at };
    await ports.table
      .transact([{ put }])
      .catch((error: unknown) => ports.log.error('a late probe could not be noted', { error }));
  };
}

export const makeProber = (env: Env): ProberState => {
  const own = probingProcess(env.ports);
  return { ...own, noteLate: lateProbes(env, own.lanes) };
};

/**
 * Probes the checks of some jobs as soon as each has a place and records each outcome as it ends: one that changes
 * something at once, the others together. A job whose next slot is due is left as a gap before anything is read. Those
 * that were slow last time are sent to the slow lane. Targets that did not answer at all wait for all of the jobs to
 * say whether our own network is to blame.
 * @returns the jobs to be sent again: what could not be recorded, by a fault of ours or because it is unclear whose,
 *   found no place, or is still ahead
 */
export async function runJobs(
  env: StateEnv,
  { lane, jobs }: { lane: Lane; jobs: Job[] },
  prober: ProberState,
  signal?: AbortSignal,
): Promise<Job[]> {
  const { clock, log } = env.ports;
  const accounts = await accountsOf(
    env,
    jobs.filter((job) => !isLate(job, clock.now()) && !isAhead(job, clock.now())),
  );
  const batch = attributeBatch(prober.network);
  const run: JobBatch = { ...env, lane, prober, batch, lookAgain: lazy(prober.network.lookAgain), signal };
  const slots = await Promise.all(
    jobs.map(async (job) => {
      const slot = await beginSlot(run, job, accounts.get(job.tenant_id)).catch((error: unknown) => {
        log.error('a cell could not be read', { job, error });
        return notStarted([job]);
      });
      await slot.probed;
      return slot;
    }),
  );
  await batch.end(slots.some(({ hasHeld }) => hasHeld()));
  return (await Promise.all(slots.map(({ end }) => end()))).flat();
}

/** Runs a slot as soon as it is its turn; the checks of a slow job have had theirs. */
async function beginSlot(run: JobBatch, job: Job, account: AccountItem | undefined): Promise<RunningSlot> {
  const { prober, ports } = run;
  if (isAhead(job, ports.clock.now())) return notStarted([job]);
  const begin = async (): Promise<RunningSlot> => {
    const slot = await runSlot(run, job, account);
    await slot.begun;
    return slot;
  };
  const inTurn = () => (run.lane === 'slow' ? begin() : prober.lanes.enter(job, begin));
  const slot = isLate(job, ports.clock.now()) ? ABANDONED : await inTurn();
  if (slot === NO_PERMIT) return notStarted([job]);
  if (slot !== ABANDONED) return slot;
  // A retry that is left out is no gap.
  if (job.retry) await sendNextRetry(run, job);
  else await prober.noteLate(job);
  return notStarted([]);
}
