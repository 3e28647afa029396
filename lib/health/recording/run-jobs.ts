import { type AccountItem, boundTo } from '#lib/access/account.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkTypeOf } from '#lib/checks/registry.ts';
import type { Env } from '#lib/env.ts';
import type { NotedCause } from '#lib/health/history/pack.ts';
import { numberOf } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { NO_PLACE } from '#lib/platform/sharing/fair-shares.ts';
import { packSlowJob } from '#lib/schedule/jobs.ts';
import { accountsOf, type DueProbe, dueChecks, isLate } from './due-checks.ts';
import { type Lane, type Lanes, makeLanes } from './lanes.ts';
import { lateProbes } from './late-probes.ts';
import { type Attribution, type OwnNetwork, ownNetwork, probeRoute } from './own-network.ts';
import { isOwnStall } from './own-stall.ts';
import { type Probe, recordProbe } from './record-probe.ts';
import { belongsInPack, entryOfProbe, openPack } from './record-quiet.ts';

/** Retry window after the slot (ms) while a failure is not attributed. */
const UNCLEAR_MS = 60_000;

/** A check that waited so long (ms) for its place is read again. */
const READ_AGAIN_MS = 2_000;

/** What a process keeps between its batches. */
type Prober = { lanes: Lanes; network: OwnNetwork; noteLate: (job: Job) => Promise<void> };

export const makeProber = (env: Env): Prober => {
  const { ports } = env;
  const lanes = makeLanes(ports);
  return { lanes, network: ownNetwork(ports), noteLate: lateProbes(env, lanes) };
};

/**
 * Probes the checks of some jobs as soon as each has a place and records each outcome as it ends: one that changes
 * something at once, the others together. A job whose next slot is due is left as a gap before anything is read. Those
 * that were slow last time are sent to the slow lane. Targets that did not answer at all wait for all of the jobs to say
 * whether our own network is to blame.
 * @returns the jobs to be sent again: what could not be recorded, by a fault of ours or because it is unclear whose, or
 *   found no place
 */
export async function runJobs(
  env: Env,
  { lane, jobs }: { lane: Lane; jobs: Job[] },
  prober: Prober,
  signal?: AbortSignal,
): Promise<Job[]> {
  const now = env.ports.clock.now();
  const late = jobs.filter((job) => isLate(job, now));
  const inTime = jobs.filter((job) => !isLate(job, now));
  const accounts = await accountsOf(env, inTime);
  const batch = batchVerdict(prober.network);
  const slots = inTime.map((job) =>
    runSlot({ ...env, lane, prober, batch, signal }, job, accounts.get(job.tenant_id)).catch((error: unknown) => {
      env.ports.log.error('a cell could not be read', { job, error });
      return unread(job);
    }),
  );
  // Behind what can still be in time.
  for (const job of late) await prober.noteLate(job);
  await Promise.all(slots.map(async (slot) => (await slot).probed));
  const running = await Promise.all(slots);
  await batch.end(running.some(({ held }) => held.length > 0));
  return (await Promise.all(running.map(({ end }) => end()))).flat();
}

type Run = Env & {
  lane: Lane;
  prober: Prober;
  batch: ReturnType<typeof batchVerdict>;
  signal: AbortSignal | undefined;
};

/** The slot of a cell, while its checks are probed. */
type RunningSlot = {
  probed: Promise<unknown>;
  /** Silent targets, which wait for the verdict of the batch. */
  held: Promise<void>[];
  /** Ends it. @returns what has to be tried again */
  end(): Promise<Job[]>;
};

const unread = (job: Job): RunningSlot => ({ probed: Promise.resolve(), held: [], end: async () => [job] });

async function runSlot(run: Run, job: Job, account: AccountItem | undefined): Promise<RunningSlot> {
  const { ports, lane, prober, batch, signal } = run;
  const readAt = ports.clock.now();
  const due = await dueChecks(run, job, account);
  const pack = openPack(run, job, account?.retention_days ?? 0, signal);
  const again = new Set<string>();
  const held: Promise<void>[] = [];

  const attempt = async ({ check }: DueProbe, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      const { tenant_id, slot } = job;
      ports.log.error('a probe could not be recorded', { tenant_id, check_id: check.id, slot, error });
      again.add(check.id);
      noteGap(check, 'error');
    }
  };
  const noteGap = (check: CheckItem, cause: NotedCause): void => {
    pack.add({ number: numberOf(check.id), gap: cause });
    ports.log.warn('a slot is a gap', { tenant_id: job.tenant_id, check_id: check.id, slot: job.slot, cause });
  };
  const record = async (probe: Probe): Promise<void> => {
    if (belongsInPack(probe)) pack.add(entryOfProbe(probe));
    else await recordProbe(run, probe);
  };
  const probeInTurn = async (one: DueProbe) => {
    const claim = { tenant: job.tenant_id, target: hostOf(one.check) };
    const { lanes } = prober;
    const probe = await lanes[lane].run(claim, async () => {
      // Its state decides what the outcome changes: read long ago, it may have changed while this waited.
      const isOld = ports.clock.now() - readAt > READ_AGAIN_MS;
      const [still] = isOld ? await dueChecks(run, { ...job, only: [one.check.id] }, account) : [one];
      if (!still || signal?.aborted) return undefined;
      return lanes.begin(claim, async () =>
        isLate(job, ports.clock.now()) ? undefined : await probeOnce(ports, still),
      );
    });
    if (probe === NO_PLACE) return void again.add(one.check.id);
    // This run timed out and has a successor; it must not write beside it.
    if (!probe || signal?.aborted) return;
    if (!batch.isSuspect(probe)) return record(probe);
    held.push(attempt(one, () => recordSuspect(one, probe)));
  };
  const recordSuspect = async (one: DueProbe, probe: Probe) => {
    const verdict = await batch.blame;
    // What began while the network was down may end in silence after it is back.
    const blame = prober.network.wasDown(probe.started_at) ? 'network' : verdict;
    if (signal?.aborted) return;
    if (blame === 'unclear' && mayTryAgain(one, ports.clock.now())) again.add(one.check.id);
    else if (blame === 'network') noteGap(one.check, 'network');
    else await record(probe);
  };

  const belongsHere = ({ check }: DueProbe): boolean => lane === 'slow' || !check.slow;
  const slow = due.filter((one) => !belongsHere(one)).map(({ check }) => check.id);
  const probed = due.filter(belongsHere).map((one) => attempt(one, () => probeInTurn(one)));
  if (slow.length > 0) {
    await ports.queues.send('slow', packSlowJob(job, slow)).catch((error: unknown) => {
      ports.log.error('checks could not be handed to the slow lane', { job, slow, error });
      for (const id of slow) again.add(id);
    });
  }
  return {
    probed: Promise.all(probed),
    held,
    end: async () => {
      await Promise.all(held);
      await pack.end().catch((error: unknown) => {
        const lost = new Set(pack.waiting().map(({ number }) => number));
        ports.log.error('a pack could not be written', { job, checks: lost.size, error });
        for (const { check } of due) if (lost.has(numberOf(check.id))) again.add(check.id);
      });
      return again.size > 0 ? [{ ...job, only: [...again] }] : [];
    },
  };
}

/** Attributes the silence of targets in a batch: by the first answer, or at the end. */
function batchVerdict(network: OwnNetwork) {
  const { promise: blame, resolve: settle } = Promise.withResolvers<Attribution>();
  return {
    blame,
    isSuspect({ check, outcome }: Probe): boolean {
      const way = probeRoute(check);
      if (way === 'this machine') return false;
      const isSilent = outcome.unanswered === true;
      // Our resolver may answer out of its memory, which says nothing of the network.
      if (way !== 'our resolver') {
        network.record(way.host, !isSilent);
        if (!isSilent) settle('target');
      }
      return isSilent;
    },
    async end(hasSuspects: boolean): Promise<void> {
      if (hasSuspects) settle(await network.attribute());
      await network.refreshReference();
    },
  };
}

/** And never past half the interval, so that the retry ends before the next slot. */
const mayTryAgain = ({ job }: DueProbe, now: number): boolean =>
  now < job.slot + Math.min(UNCLEAR_MS, job.interval_seconds * 500);

/** Where a check goes; undefined: to the resolver of this machine. */
const hostOf = (check: CheckItem): string | undefined => checkTypeOf(check.check_type).hosts(check)[0]?.host;

/** Undefined when our own stall may be why it failed: its slot stays a gap. */
async function probeOnce(ports: Ports, { job, check, account }: DueProbe): Promise<Probe | undefined> {
  const type = checkTypeOf(check.check_type);
  const started_at = ports.clock.now();
  // A probe never outlives its interval (docs/CONTRACT.md#probes).
  const timeout_ms = Math.min(check.timeout_ms, check.interval_seconds * 1000);
  const settings = boundTo(ports.settings, account);
  const before = ports.clock.stalled();
  const outcome = await type.probe?.(check, { net: ports.net, settings, timeout_ms, now: started_at });
  const stalled_ms = ports.clock.stalled() - before;
  if (outcome && isOwnStall(outcome, timeout_ms, stalled_ms)) {
    const { tenant_id, slot } = job;
    const { error_message } = outcome;
    ports.log.warn('this process stood still, so a probe is not recorded', {
      tenant_id,
      check_id: check.id,
      slot,
      stalled_ms,
      error_message,
    });
    return undefined;
  }
  return outcome && { check, slot: job.slot, started_at, outcome, retention_days: account.retention_days };
}
