import type { AccountItem } from '#lib/access/account.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { StateEnv } from '#lib/checks/state/on-change.ts';
import type { Env } from '#lib/env.ts';
import { numberOf } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import { lazy } from '#lib/platform/lazy.ts';
import type { Item } from '#lib/platform/ports.ts';
import { CpuLimitError } from '#lib/platform/sharing/cpu-budget.ts';
import { NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
import type { StoredGapCause } from '#lib/results/pack.ts';
import { type Lane, type Lanes, SKIPPED } from '#lib/results/probe/lanes.ts';
import { type Attribution, type NetworkHealth, probeRoute } from '#lib/results/probe/network-health.ts';
import { hostOf, type ProbingProcess, probingProcess } from '#lib/results/probe/probe.ts';
import { isEarly, isLate, packSlowJob } from '#lib/schedule/jobs.ts';
import { accountsOf, type DueProbe, dueChecks, probeOnce } from './due-checks.ts';
import {
  belongsInPack,
  type Effect,
  effectOf,
  entryOfProbe,
  openPack,
  type Probe,
  recordProbe,
} from './record-probe.ts';
import { sendNextRetry } from './retries.ts';

/** Maximum time after the slot (ms) at which a probe with an unclear attribution is repeated. */
const UNCLEAR_MS = 60_000;

type SlotOutcomes = {
  /** Records the outcome of a probe; a missing response waits for the attribution of the batch. */
  probed(one: DueProbe, probe: Probe, host: string | undefined): void;
  /** Records an internal error: the slot is a gap, unless a repetition succeeds. */
  failed(one: DueProbe, error: unknown): void;
  /** Records that the response was not evaluated for lack of CPU budget: the slot is a gap. */
  overBudget(one: DueProbe): void;
  tryAgain(id: string): void;
  hasSuspects(): boolean;
  /** Resolves when everything is written, with the jobs to send again. */
  end(): Promise<Job[]>;
};

function slotOutcomes(run: JobBatch, job: Job, due: readonly DueProbe[], retentionDays: number): SlotOutcomes {
  const { ports, prober, batch, signal } = run;
  const pack = openPack(run, job, retentionDays, signal);
  const again = new Set<string>();
  const suspects: Promise<void>[] = [];
  const written: Promise<void>[] = [];

  const noteGap = (check: CheckItem, cause: StoredGapCause): void => {
    if (job.retry) return;
    ports.metrics.tally?.('probes', 'gap');
    pack.add({ number: numberOf(check.id), gap: cause });
    ports.log.warn('slot recorded as a gap', { tenant_id: job.tenant_id, check_id: check.id, slot: job.slot, cause });
  };
  const failed = ({ check }: DueProbe, error: unknown): void => {
    const { tenant_id, slot } = job;
    ports.log.error('probe not recorded', { tenant_id, check_id: check.id, slot, error });
    again.add(check.id);
    noteGap(check, 'error');
  };
  const record = (one: DueProbe, probe: Probe): void => {
    ports.metrics.tally?.('probes', probe.outcome.success ? 'success' : 'failure');
    const effect = effectOf(probe);
    if (belongsInPack(probe, effect)) pack.add(entryOfProbe(probe));
    else written.push(recordAlone(one, probe, effect));
  };
  const recordAlone = async (one: DueProbe, probe: Probe, effect: Effect): Promise<void> => {
    try {
      await recordProbe(run, probe, effect);
    } catch (error) {
      failed(one, error);
    }
  };
  const recordSuspect = async (one: DueProbe, probe: Probe): Promise<void> => {
    try {
      const ofBatch = await batch.attribution;
      // A probe started while the network was down may fail after it is up again.
      const attribution = prober.network.wasDown(probe.started_at) ? 'network' : ofBatch;
      if (signal?.aborted) return;
      if (attribution === 'unclear' && mayRepeat(one, ports.clock.now())) again.add(one.check.id);
      else if (attribution === 'network') noteGap(one.check, 'network');
      else record(one, probe);
    } catch (error) {
      failed(one, error);
    }
  };

  return {
    probed: (one, probe, host) => {
      if (batch.observe(probe, host)) suspects.push(recordSuspect(one, probe));
      else record(one, probe);
    },
    failed,
    overBudget: ({ check }) => noteGap(check, 'cpu_budget'),
    tryAgain: (id) => void again.add(id),
    hasSuspects: () => suspects.length > 0,
    end: async () => {
      await Promise.all(suspects);
      await Promise.all(written);
      await pack.end().catch((error: unknown) => {
        const lost = new Set(pack.waiting().map(({ number }) => number));
        ports.log.error('pack not written', { job, checks: lost.size, error });
        for (const { check } of due) if (lost.has(numberOf(check.id))) again.add(check.id);
      });
      return again.size > 0 ? [{ ...job, only: [...again] }] : [];
    },
  };
}

/** Whether to repeat an unclear probe: a retry always, else within half the interval, to end before the next slot. */
const mayRepeat = ({ job }: DueProbe, now: number): boolean =>
  job.retry !== undefined || now < job.slot + Math.min(UNCLEAR_MS, job.interval_seconds * 500);

/** Age (ms) from which a check that waited for a permit is read again. */
const MAX_READ_AGE_MS = 2_000;

type ProberState = ProbingProcess & { noteLate: (job: Job) => Promise<void> };

type JobBatch = StateEnv & {
  lane: Lane;
  prober: ProberState;
  batch: ReturnType<typeof attributeBatch>;
  /** Rechecks the network once, for the first check with a permit; checks are sent to the slow lane without it. */
  recheckNetwork: () => Promise<void>;
  signal: AbortSignal | undefined;
};

type RunningSlot = {
  /** Resolves when no check waits for a permit any more. */
  begun: Promise<unknown>;
  probed: Promise<unknown>;
  hasSuspects(): boolean;
  end(): Promise<Job[]>;
};

const notStarted = (again: Job[]): RunningSlot => ({
  begun: Promise.resolve(),
  probed: Promise.resolve(),
  hasSuspects: () => false,
  end: async () => again,
});

/**
 * Reads the cell of a job and probes its due checks as permits become free. Checks of one host wait as one list,
 * because thousands wait under overload; nothing is allocated for a check before it starts.
 */
async function runSlot(run: JobBatch, job: Job, account: AccountItem | undefined): Promise<RunningSlot> {
  const { ports, lane, prober, signal } = run;
  const { lanes } = prober;
  const tenant = job.tenant_id;
  const readAt = ports.clock.now();
  const due = rotated(await dueChecks(run, job, account), ports.ids.random());
  const outcomes = slotOutcomes(run, job, due, account?.retention_days ?? 0);

  const [here, slow] = byLane(due, lane);
  let waiting = here.length;
  const { promise: begun, resolve: allHaveBegun } = Promise.withResolvers<void>();
  const doneWaiting = (count: number): void => {
    waiting -= count;
    if (waiting === 0) allHaveBegun();
  };
  doneWaiting(0);

  const byHost = [...Map.groupBy(here, ({ check }) => hostOf(check))];
  const probed = byHost.map(([target, checks]) => {
    const claim = { tenant, target };
    /** Probes with a permit, which is released on return; the outcome is written later. */
    const probe = async (one: DueProbe): Promise<void> => {
      doneWaiting(1);
      try {
        await run.recheckNetwork();
        // If the check was read long ago, its state may have changed during the wait.
        const isOld = ports.clock.now() - readAt > MAX_READ_AGE_MS;
        const [still] = isOld ? await dueChecks(run, { ...job, only: [one.check.id] }, account) : [one];
        if (!still || signal?.aborted) return;
        const ended = await lanes.begin(claim, () => probeOnce(ports, still));
        if (ended === NO_PERMIT) return outcomes.tryAgain(one.check.id);
        // The run timed out and has a successor, so it must not write.
        if (signal?.aborted) return;
        if (ended) outcomes.probed(one, ended, target);
        else await sendNextRetry(run, job);
      } catch (error) {
        if (error instanceof CpuLimitError) outcomes.overBudget(one);
        else outcomes.failed(one, error);
      }
    };
    return lanes[lane].each(claim, checks, probe, (left) => {
      for (const { check } of left) outcomes.tryAgain(check.id);
      doneWaiting(left.length);
    });
  });
  if (slow.length > 0) {
    const ids = slow.map(({ check }) => check.id);
    await ports.queues.send('slow', packSlowJob(job, ids)).catch((error: unknown) => {
      ports.log.error('checks not handed to the slow lane', { job, slow: ids, error });
      for (const id of ids) outcomes.tryAgain(id);
    });
  }
  return { begun, probed: Promise.all(probed), hasSuspects: outcomes.hasSuspects, end: outcomes.end };
}

function byLane(due: DueProbe[], lane: Lane): [here: DueProbe[], slow: DueProbe[]] {
  const belongsHere = ({ check }: DueProbe): boolean => lane === 'slow' || !check.slow;
  return [due.filter(belongsHere), due.filter((one) => !belongsHere(one))];
}

/** Rotates a list by a fraction of its length, so that different checks are dropped when time runs out. */
function rotated<T>(list: T[], fraction: number): T[] {
  const from = Math.floor(fraction * list.length);
  return [...list.slice(from), ...list.slice(0, from)];
}

/** Attributes missing responses in a batch: by the first response, or at the end. */
function attributeBatch(network: NetworkHealth) {
  const { promise: attribution, resolve: settle } = Promise.withResolvers<Attribution>();
  return {
    attribution,
    /**
     * Records whether the host (see `hostOf`) answered. Returns whether the outcome waits for the attribution. A
     * response attributes the missing responses of the batch to their targets.
     */
    observe({ outcome }: Probe, host: string | undefined): boolean {
      const route = probeRoute(host);
      if (route === 'this machine') return false;
      const isUnanswered = outcome.unanswered === true;
      // The local resolver may answer from its cache, which says nothing about the network.
      if (route !== 'local resolver') {
        network.record(route.host, !isUnanswered);
        if (!isUnanswered) settle('target');
      }
      return isUnanswered;
    },
    async end(hasSuspects: boolean): Promise<void> {
      if (hasSuspects) settle(await network.attribute());
      await network.refreshReference();
    },
  };
}

/** Time when a probe was last late because of the service (epoch ms). Shown by GET /v1/health. */
export type LateProbeItem = Item & { at: number };

/** Minimum time (ms) between two writes of the item by a process. */
const NOTE_INTERVAL_MS = 20_000;

/** Returns a function that records a skipped slot, unless its tenant recently reached a limit (`wasAtLimit`). */
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
 * becomes a gap without reads. Slow checks are sent to the slow lane. Missing responses wait for the first response of
 * the batch, or the end of all jobs, to attribute them. Returns the jobs to send again: for checks that were not
 * recorded (internal error or unclear attribution) or got no permit, and for retries ahead of their time.
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
    jobs.filter((job) => !isLate(job, clock.now()) && !isEarly(job, clock.now())),
  );
  const batch = attributeBatch(prober.network);
  const run: JobBatch = { ...env, lane, prober, batch, recheckNetwork: lazy(prober.network.recheck), signal };
  const slots = await Promise.all(
    jobs.map(async (job) => {
      const slot = await beginSlot(run, job, accounts.get(job.tenant_id)).catch((error: unknown) => {
        log.error('slot not started, will be retried', { job, error });
        return notStarted([job]);
      });
      await slot.probed;
      return slot;
    }),
  );
  await batch.end(slots.some(({ hasSuspects }) => hasSuspects()));
  return (await Promise.all(slots.map(({ end }) => end()))).flat();
}

async function beginSlot(run: JobBatch, job: Job, account: AccountItem | undefined): Promise<RunningSlot> {
  const { prober, ports } = run;
  if (isEarly(job, ports.clock.now())) return notStarted([job]);
  const begin = async (): Promise<RunningSlot> => {
    const slot = await runSlot(run, job, account);
    await slot.begun;
    return slot;
  };
  const inTurn = () => (run.lane === 'slow' ? begin() : prober.lanes.enter(job, begin));
  const slot = isLate(job, ports.clock.now()) ? SKIPPED : await inTurn();
  if (slot === NO_PERMIT) return notStarted([job]);
  if (slot !== SKIPPED) return slot;
  // A skipped retry is not a gap.
  if (job.retry) await sendNextRetry(run, job);
  else await prober.noteLate(job);
  return notStarted([]);
}
