import type { AccountItem } from '#lib/access/account.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { StateEnv } from '#lib/checks/state/on-change.ts';
import { numberOf } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import { NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
import type { StoredGapCause } from '#lib/results/pack.ts';
import type { Lane } from '#lib/results/probe/lanes.ts';
import { type Attribution, type NetworkHealth, probeRoute } from '#lib/results/probe/network-health.ts';
import { hostOf, type ProbingProcess } from '#lib/results/probe/probe.ts';
import { packSlowJob } from '#lib/schedule/jobs.ts';
import { type DueProbe, dueChecks, probeOnce } from './due-checks.ts';
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

/** How long after the slot (ms) a probe is tried again while its failure is not attributed. */
const UNCLEAR_MS = 60_000;

/** What comes of the probes of a slot. */
type SlotOutcomes = {
  /** Records what a probe of a host found; a silent target waits for the verdict of the batch. */
  found(one: DueProbe, probe: Probe, host: string | undefined): void;
  /** A fault of ours: the slot of this check is a gap, unless the next try finds something. */
  failed(one: DueProbe, error: unknown): void;
  /** Nothing was found, and the job is to be sent again for this check. */
  tryAgain(id: string): void;
  /** Whether a target waits for the verdict. */
  hasHeld(): boolean;
  /** Resolves when all of it is written, with what has to be tried again. */
  end(): Promise<Job[]>;
};

/** @param due what is probed of the slot */
function slotOutcomes(run: JobBatch, job: Job, due: readonly DueProbe[], retentionDays: number): SlotOutcomes {
  const { ports, prober, batch, signal } = run;
  const pack = openPack(run, job, retentionDays, signal);
  const again = new Set<string>();
  const held: Promise<void>[] = [];
  const written: Promise<void>[] = [];

  const noteGap = (check: CheckItem, cause: StoredGapCause): void => {
    if (job.retry) return;
    pack.add({ number: numberOf(check.id), gap: cause });
    ports.log.warn('a slot is a gap', { tenant_id: job.tenant_id, check_id: check.id, slot: job.slot, cause });
  };
  const failed = ({ check }: DueProbe, error: unknown): void => {
    const { tenant_id, slot } = job;
    ports.log.error('a probe could not be recorded', { tenant_id, check_id: check.id, slot, error });
    again.add(check.id);
    noteGap(check, 'error');
  };
  const record = (one: DueProbe, probe: Probe): void => {
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
      const verdict = await batch.blame;
      // What began while the network was down may end in silence after it is back.
      const blame = prober.network.wasDown(probe.started_at) ? 'network' : verdict;
      if (signal?.aborted) return;
      if (blame === 'unclear' && mayTryAgain(one, ports.clock.now())) again.add(one.check.id);
      else if (blame === 'network') noteGap(one.check, 'network');
      else record(one, probe);
    } catch (error) {
      failed(one, error);
    }
  };

  return {
    found: (one, probe, host) => {
      if (batch.isSuspect(probe, host)) held.push(recordSuspect(one, probe));
      else record(one, probe);
    },
    failed,
    tryAgain: (id) => void again.add(id),
    hasHeld: () => held.length > 0,
    end: async () => {
      await Promise.all(held);
      await Promise.all(written);
      await pack.end().catch((error: unknown) => {
        const lost = new Set(pack.waiting().map(({ number }) => number));
        ports.log.error('a pack could not be written', { job, checks: lost.size, error });
        for (const { check } of due) if (lost.has(numberOf(check.id))) again.add(check.id);
      });
      return again.size > 0 ? [{ ...job, only: [...again] }] : [];
    },
  };
}

/** And never past half the interval, so that it ends before the next slot; a retry is dropped where it does not. */
const mayTryAgain = ({ job }: DueProbe, now: number): boolean =>
  job.retry !== undefined || now < job.slot + Math.min(UNCLEAR_MS, job.interval_seconds * 500);

/** A check that waited so long (ms) for its place is read again. */
const READ_AGAIN_MS = 2_000;

/** What a process keeps between its messages. */
export type ProberState = ProbingProcess & { noteLate: (job: Job) => Promise<void> };

/** The jobs of a message, while they run. */
export type JobBatch = StateEnv & {
  lane: Lane;
  prober: ProberState;
  batch: ReturnType<typeof attributeBatch>;
  /**
   * That of our own network, made once, by the first check that has a place. What is only handed to the slow lane waits
   * for it there and not here as well: a retry may have but a second.
   */
  lookAgain: () => Promise<void>;
  signal: AbortSignal | undefined;
};

/** The slot of a cell, while its checks are probed. */
export type RunningSlot = {
  /** Each of them has a place, or will have none. */
  begun: Promise<unknown>;
  probed: Promise<unknown>;
  /** Whether a silent target waits for the verdict of the batch. */
  hasHeld(): boolean;
  /** Ends it. @returns what has to be tried again */
  end(): Promise<Job[]>;
};

/** Nothing of it was probed; `again` is to be sent again. */
export const notStarted = (again: Job[]): RunningSlot => ({
  begun: Promise.resolve(),
  probed: Promise.resolve(),
  hasHeld: () => false,
  end: async () => again,
});

/**
 * Reads the cell of a job and probes what is due of it, each check as soon as it has a place. Those of one host wait as
 * one list: thousands wait while more is due than can be done, and nothing is made for a check before it begins.
 */
export async function runSlot(run: JobBatch, job: Job, account: AccountItem | undefined): Promise<RunningSlot> {
  const { ports, lane, prober, signal } = run;
  const { lanes } = prober;
  const tenant = job.tenant_id;
  const readAt = ports.clock.now();
  const due = startingAnywhere(await dueChecks(run, job, account), ports.ids.random());
  const outcomes = slotOutcomes(run, job, due, account?.retention_days ?? 0);

  const [here, slow] = byLane(due, lane);
  let waiting = here.length;
  const { promise: begun, resolve: allHaveBegun } = Promise.withResolvers<void>();
  const noLongerWaits = (count: number): void => {
    waiting -= count;
    if (waiting === 0) allHaveBegun();
  };
  noLongerWaits(0);

  const byHost = [...Map.groupBy(here, ({ check }) => hostOf(check))];
  const probed = byHost.map(([target, checks]) => {
    const claim = { tenant, target };
    /** Its place is free again when this ends; what it found is written after that. */
    const probe = async (one: DueProbe): Promise<void> => {
      noLongerWaits(1);
      try {
        await run.lookAgain();
        // Its state decides what the outcome changes: read long ago, it may have changed while this waited.
        const isOld = ports.clock.now() - readAt > READ_AGAIN_MS;
        const [still] = isOld ? await dueChecks(run, { ...job, only: [one.check.id] }, account) : [one];
        if (!still || signal?.aborted) return;
        const found = await lanes.begin(claim, () => probeOnce(ports, still));
        if (found === NO_PERMIT) return outcomes.tryAgain(one.check.id);
        // This run timed out and has a successor; it must not write beside it.
        if (signal?.aborted) return;
        if (found) outcomes.found(one, found, target);
        else await sendNextRetry(run, job);
      } catch (error) {
        outcomes.failed(one, error);
      }
    };
    return lanes[lane].each(claim, checks, probe, (left) => {
      for (const { check } of left) outcomes.tryAgain(check.id);
      noLongerWaits(left.length);
    });
  });
  if (slow.length > 0) {
    const ids = slow.map(({ check }) => check.id);
    await ports.queues.send('slow', packSlowJob(job, ids)).catch((error: unknown) => {
      ports.log.error('checks could not be handed to the slow lane', { job, slow: ids, error });
      for (const id of ids) outcomes.tryAgain(id);
    });
  }
  return { begun, probed: Promise.all(probed), hasHeld: outcomes.hasHeld, end: outcomes.end };
}

/** Those that belong on the lane, and those that have to be handed to the slow one. */
function byLane(due: DueProbe[], lane: Lane): [here: DueProbe[], slow: DueProbe[]] {
  const belongsHere = ({ check }: DueProbe): boolean => lane === 'slow' || !check.slow;
  return [due.filter(belongsHere), due.filter((one) => !belongsHere(one))];
}

/**
 * The same list from another place on: where time ends before the list does, it is not always the same that lose.
 * @param at which place, from 0 to 1
 */
function startingAnywhere<T>(list: T[], at: number): T[] {
  const from = Math.floor(at * list.length);
  return [...list.slice(from), ...list.slice(0, from)];
}

/** Attributes the silence of targets in a batch: by the first answer, or at the end. */
export function attributeBatch(network: NetworkHealth) {
  const { promise: blame, resolve: settle } = Promise.withResolvers<Attribution>();
  return {
    blame,
    /** @param host where it went, as `hostOf` says */
    isSuspect({ outcome }: Probe, host: string | undefined): boolean {
      const way = probeRoute(host);
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
