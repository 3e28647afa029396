import type { AccountItem } from '#lib/access/account.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { NotedCause } from '#lib/health/history/pack.ts';
import { numberOf } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import { NO_PLACE } from '#lib/platform/sharing/fair-shares.ts';
import { packSlowJob } from '#lib/schedule/jobs.ts';
import type { batchVerdict } from './batch-verdict.ts';
import { type DueProbe, dueChecks, isLate } from './due-checks.ts';
import type { Lane } from './lanes.ts';
import { hostOf, probeOnce } from './probe-once.ts';
import type { ProbingProcess } from './probing-process.ts';
import { type Probe, recordProbe } from './record-probe.ts';
import { belongsInPack, entryOfProbe, openPack } from './record-quiet.ts';

/** How long after the slot (ms) a probe is tried again while its failure is not attributed. */
const UNCLEAR_MS = 60_000;

/** A check that waited so long (ms) for its place is read again. */
const READ_AGAIN_MS = 2_000;

/** What a process keeps between its messages. */
export type Prober = ProbingProcess & { noteLate: (job: Job) => Promise<void> };

/** The jobs of a message, while they run. */
export type Run = Env & {
  lane: Lane;
  prober: Prober;
  batch: ReturnType<typeof batchVerdict>;
  signal: AbortSignal | undefined;
};

/** The slot of a cell, while its checks are probed. */
export type RunningSlot = {
  /** Each of them has a place, or will have none. */
  begun: Promise<unknown>;
  probed: Promise<unknown>;
  /** Silent targets, which wait for the verdict of the batch. */
  held: Promise<void>[];
  /** Ends it. @returns what has to be tried again */
  end(): Promise<Job[]>;
};

/** Nothing of it was probed; `again` is to be sent again. */
export const notRun = (again: Job[]): RunningSlot => ({
  begun: Promise.resolve(),
  probed: Promise.resolve(),
  held: [],
  end: async () => again,
});

/** Reads the cell of a job and probes what is due of it, each check as soon as it has a place. */
export async function runSlot(run: Run, job: Job, account: AccountItem | undefined): Promise<RunningSlot> {
  const { ports, lane, prober, batch, signal } = run;
  const readAt = ports.clock.now();
  const due = startingAnywhere(await dueChecks(run, job, account), ports.ids.random());
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
    if (job.retry) return;
    pack.add({ number: numberOf(check.id), gap: cause });
    ports.log.warn('a slot is a gap', { tenant_id: job.tenant_id, check_id: check.id, slot: job.slot, cause });
  };
  const record = async (probe: Probe): Promise<void> => {
    if (belongsInPack(probe)) pack.add(entryOfProbe(probe));
    else await recordProbe(run, probe);
  };
  const probeInTurn = async (one: DueProbe, hasBegun: () => void) => {
    const claim = { tenant: job.tenant_id, target: hostOf(one.check) };
    const { lanes } = prober;
    const probe = await lanes[lane].run(claim, async () => {
      hasBegun();
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
  const begun: Promise<void>[] = [];
  const probed = due.filter(belongsHere).map((one) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    begun.push(promise);
    return attempt(one, () => probeInTurn(one, resolve)).finally(resolve);
  });
  if (slow.length > 0) {
    await ports.queues.send('slow', packSlowJob(job, slow)).catch((error: unknown) => {
      ports.log.error('checks could not be handed to the slow lane', { job, slow, error });
      for (const id of slow) again.add(id);
    });
  }
  return {
    begun: Promise.all(begun),
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

/**
 * The same list from another place on: where time ends before the list does, it is not always the same that lose.
 * @param at which place, from 0 to 1
 */
function startingAnywhere<T>(list: T[], at: number): T[] {
  const from = Math.floor(at * list.length);
  return [...list.slice(from), ...list.slice(0, from)];
}

/** And never past half the interval, so that it ends before the next slot; a retry is dropped where it does not. */
const mayTryAgain = ({ job }: DueProbe, now: number): boolean =>
  job.retry !== undefined || now < job.slot + Math.min(UNCLEAR_MS, job.interval_seconds * 500);
