import type { AccountItem } from '#lib/access/account.ts';
import type { Env } from '#lib/env.ts';
import type { batchVerdict } from '#lib/health/recording/batch-verdict.ts';
import type { ProbingProcess } from '#lib/health/recording/probing-process.ts';
import { slotOutcomes } from '#lib/health/recording/slot-outcomes.ts';
import type { Job } from '#lib/messages.ts';
import { NO_PLACE } from '#lib/platform/sharing/fair-shares.ts';
import type { Lane } from '#lib/results/probe/lanes.ts';
import { hostOf, probeOnce } from '#lib/results/probe/probe.ts';
import { packSlowJob } from '#lib/schedule/jobs.ts';
import { type DueProbe, dueChecks } from './due-checks.ts';
import { sendNextRetry } from './retries.ts';

/** A check that waited so long (ms) for its place is read again. */
const READ_AGAIN_MS = 2_000;

/** What a process keeps between its messages. */
export type Prober = ProbingProcess & { noteLate: (job: Job) => Promise<void> };

/** The jobs of a message, while they run. */
export type Run = Env & {
  lane: Lane;
  prober: Prober;
  batch: ReturnType<typeof batchVerdict>;
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
export const notRun = (again: Job[]): RunningSlot => ({
  begun: Promise.resolve(),
  probed: Promise.resolve(),
  hasHeld: () => false,
  end: async () => again,
});

/**
 * Reads the cell of a job and probes what is due of it, each check as soon as it has a place. Those of one host wait as
 * one list: thousands wait while more is due than can be done, and nothing is made for a check before it begins.
 */
export async function runSlot(run: Run, job: Job, account: AccountItem | undefined): Promise<RunningSlot> {
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
        if (found === NO_PLACE) return outcomes.tryAgain(one.check.id);
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
