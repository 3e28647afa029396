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

/** Time when a probe was last late because of the service (epoch ms). Shown by GET /v1/health. */
export type LateProbeItem = Item & { at: number };

/** Minimum time (ms) between writes of a process. */
const NOTE_INTERVAL_MS = 20_000;

/** Records probes late by an interval, except those of tenants that had used up their share. */
function lateProbes({ ports, keys }: Env, lanes: Lanes): (job: Job) => Promise<void> {
  let noted = Number.NEGATIVE_INFINITY;
  return async ({ tenant_id, cell, slot }) => {
    if (lanes.quick.wasAtLimit(tenant_id) || lanes.slow.wasAtLimit(tenant_id)) return;
    ports.metrics.count('LateProbes');
    const at = ports.clock.now();
    if (at < noted + NOTE_INTERVAL_MS) return;
    noted = at;
    ports.log.warn('probes late by more than their interval, skipped', { tenant_id, cell, slot });
    const put: LateProbeItem = { ...keys.lastLateProbe, at };
    await ports.table.transact([{ put }]).catch((error: unknown) => ports.log.error('late probe not noted', { error }));
  };
}

export const makeProber = (env: Env): ProberState => {
  const process = probingProcess(env.ports);
  return { ...process, noteLate: lateProbes(env, process.lanes) };
};

/**
 * Probes the checks of jobs as permits become free, and records outcomes as they end. A job whose next slot is due
 * becomes a gap without reads. Slow checks are sent to the slow lane. Missing responses wait for all jobs, to attribute
 * them. Returns the jobs to send again: not recorded (internal error or unclear attribution), without a permit, or
 * ahead of time.
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
  const run: JobBatch = { ...env, lane, prober, batch, recheckNetwork: lazy(prober.network.recheck), signal };
  const slots = await Promise.all(
    jobs.map(async (job) => {
      const slot = await beginSlot(run, job, accounts.get(job.tenant_id)).catch((error: unknown) => {
        log.error('cell not read', { job, error });
        return notStarted([job]);
      });
      await slot.probed;
      return slot;
    }),
  );
  await batch.end(slots.some(({ hasHeld }) => hasHeld()));
  return (await Promise.all(slots.map(({ end }) => end()))).flat();
}

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
  // A skipped retry is not a gap.
  if (job.retry) await sendNextRetry(run, job);
  else await prober.noteLate(job);
  return notStarted([]);
}
