import { resultExpiry } from '#lib/access/retention.ts';
import type { Env } from '#lib/env.ts';
import { PACK_MS } from '#lib/history/runs/timeline.ts';
import { numberOf } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import { AGAIN, untilDone } from '#lib/platform/table/retry.ts';
import { entryOf, type PackedEntry, type PackItem, packOf } from '#lib/results/pack.ts';
import { reviseRollups } from '#lib/results/revise-rollups.ts';
import { isFirstProbe, isQuiet, type Probe } from '#lib/results/slots/record-probe.ts';

/** What of a slot is written together: it changes nothing, or says why there is no run. */
type Pack = {
  add(entry: PackedEntry): void;
  /** Writes what still waits. Throws when that could not be written; `waiting` then tells what. */
  end(): Promise<void>;
  waiting(): PackedEntry[];
};

/** Whether an outcome belongs into the pack of its slot. */
export const belongsInPack = (probe: Probe): boolean =>
  !probe.retry && isQuiet(probe, probe.check) && !isFirstProbe(probe);

export const entryOfProbe = ({ check, slot, started_at, outcome }: Probe): PackedEntry => ({
  number: numberOf(check.id),
  begin: started_at - slot,
  latency_ms: outcome.latency_ms,
  status_code: outcome.status_code,
  rev: check.rev,
  success: outcome.success,
  ...(!outcome.success && { error: { kind: outcome.error_kind, message: outcome.error_message } }),
  ...(outcome.warning_message && { warning_message: outcome.warning_message }),
});

/**
 * The pack of a job. What ended waits up to two seconds for the others of the slot, so that slow ones hold nothing
 * back.
 * @param signal aborted when the run timed out: it must not write beside its successor
 */
export function openPack(env: Env, job: Job, retentionDays: number, signal?: AbortSignal): Pack {
  const { ports } = env;
  let waiting: PackedEntry[] = [];
  let isTimed = false;
  let written: Promise<void> = Promise.resolve();

  const write = (): Promise<void> => {
    written = written
      .catch(() => {})
      .then(async () => {
        const entries = waiting;
        if (entries.length === 0 || signal?.aborted) return;
        waiting = [];
        try {
          await writePacks(env, job, entries, resultExpiry(job.slot, retentionDays));
        } catch (error) {
          waiting = [...entries, ...waiting];
          throw error;
        }
      });
    return written;
  };
  const writeInTime = async (): Promise<void> => {
    await ports.clock.sleep(PACK_MS);
    isTimed = false;
    // Should it fail, the end of the job tries once more, and says so.
    await write().catch(() => {});
  };
  return {
    add(entry) {
      waiting.push(entry);
      if (isTimed) return;
      isTimed = true;
      void writeInTime();
    },
    end: write,
    waiting: () => waiting,
  };
}

/**
 * Writes a pack behind those that the slot has already. Each is put on `absent`, and whoever finds one in its place
 * goes on with what that does not hold: of a check that was probed twice, the first outcome stands.
 */
async function writePacks(env: Env, job: Job, all: PackedEntry[], expires_at: number): Promise<void> {
  const { ports, keys } = env;
  const { tenant_id, cell, interval_seconds, slot } = job;
  await reviseRollups(env, job, { from: slot, to: slot });
  let entries = all;
  for (let part = 1; entries.length > 0; part++) {
    const put: PackItem = {
      ...keys.pack(tenant_id, cell, interval_seconds, slot, part),
      expires_at,
      ...packOf(entries),
    };
    const present = await untilDone(ports, async () => {
      const outcome = await ports.table.transact([{ put, if: 'absent' }]);
      if (outcome.ok) return undefined;
      return outcome.conflict ? AGAIN : (outcome.present[0] as PackItem);
    });
    if (!present) return;
    entries = entries.filter((entry) => {
      const known = entryOf(present, entry.number);
      return !known || (known.gap !== undefined && entry.gap === undefined);
    });
  }
}
