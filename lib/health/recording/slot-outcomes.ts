import type { CheckItem } from '#lib/checks/check-item.ts';
import { numberOf } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import type { NotedCause } from '#lib/results/pack.ts';
import type { DueProbe } from '#lib/results/slots/due-checks.ts';
import { type Probe, recordProbe } from '#lib/results/slots/record-probe.ts';
import type { Run } from '#lib/results/slots/run-slot.ts';
import { belongsInPack, entryOfProbe, openPack } from './record-quiet.ts';

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
export function slotOutcomes(run: Run, job: Job, due: readonly DueProbe[], retentionDays: number): SlotOutcomes {
  const { ports, prober, batch, signal } = run;
  const pack = openPack(run, job, retentionDays, signal);
  const again = new Set<string>();
  const held: Promise<void>[] = [];
  const written: Promise<void>[] = [];

  const noteGap = (check: CheckItem, cause: NotedCause): void => {
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
    if (belongsInPack(probe)) pack.add(entryOfProbe(probe));
    else written.push(recordAlone(one, probe));
  };
  const recordAlone = async (one: DueProbe, probe: Probe): Promise<void> => {
    try {
      await recordProbe(run, probe);
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
