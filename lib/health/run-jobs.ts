import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Outcome } from '#lib/checks/check-type.ts';
import { checkTypeOf } from '#lib/checks/registry.ts';
import type { Keys } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import type { Item, Ports } from '#lib/platform/ports.ts';
import { isSlot, rhythmOf } from '#lib/schedule/slots.ts';
import { recordProbe } from './record-probe.ts';

/** Takes a place among the probes that run at once. */
export type Place = <T>(work: () => Promise<T>) => Promise<T>;

/** A job that the present settings still want. */
type Due = { job: Job; check: CheckItem; account: AccountItem };

/**
 * Probes every check of a batch at once and records each outcome as it ends. Jobs of deleted or disabled checks, and
 * those whose instant is no slot of the present settings, are dropped; one whose next slot is due is left as a gap.
 * @returns the jobs that a fault of ours kept from being recorded, to be sent again
 */
export async function runJobs(
  ports: Ports,
  keys: Keys,
  jobs: Job[],
  place: Place,
  signal?: AbortSignal,
): Promise<Job[]> {
  const failed: Job[] = [];
  const due = await wanted(ports, keys, jobs);
  await Promise.all(
    due.map((one) =>
      place(async () => {
        if (isLate(one, ports.clock.now())) return;
        try {
          await probeAndRecord(ports, keys, one, signal);
        } catch (error) {
          const { tenant_id, check_id, slot } = one.job;
          ports.log.error('a probe could not be recorded', { tenant_id, check_id, slot, error });
          failed.push(one.job);
        }
      }),
    ),
  );
  return failed;
}

/** One strong read of each check and account of the batch says which of its jobs still stand. */
async function wanted(ports: Ports, keys: Keys, jobs: Job[]): Promise<Due[]> {
  const wantedKeys = new Map<string, ReturnType<typeof keys.check>>();
  for (const job of jobs) {
    for (const key of [keys.check(job.tenant_id, job.check_id), keys.account(job.tenant_id)])
      wantedKeys.set(key.pk, key);
  }
  const items = new Map<string, Item | undefined>();
  const found = await ports.table.getMany([...wantedKeys.values()]);
  for (const [i, pk] of [...wantedKeys.keys()].entries()) items.set(pk, found[i]);

  return jobs.flatMap((job) => {
    const check = items.get(keys.check(job.tenant_id, job.check_id).pk) as CheckItem | undefined;
    const account = items.get(keys.account(job.tenant_id).pk) as AccountItem | undefined;
    if (!check?.enabled || !account || isDisabled(account)) return [];
    return isSlot(rhythmOf(check.id, check.interval_seconds), job.slot) ? [{ job, check, account }] : [];
  });
}

const isLate = ({ job, check }: Due, now: number): boolean => job.slot + check.interval_seconds * 1000 <= now;

async function probeAndRecord(
  ports: Ports,
  keys: Keys,
  { job, check, account }: Due,
  signal?: AbortSignal,
): Promise<void> {
  const started_at = ports.clock.now();
  const outcome = await probe(ports, check, started_at);
  // A run that has timed out has a successor; it must not write beside it.
  if (!outcome || signal?.aborted) return;
  await recordProbe(ports, keys, {
    check,
    slot: job.slot,
    started_at,
    outcome,
    retention_days: account.retention_days,
  });
}

/** A probe never outlives its interval (decisions.md, Checks). */
async function probe(ports: Ports, check: CheckItem, now: number): Promise<Outcome | undefined> {
  const type = checkTypeOf(check.check_type);
  const timeout_ms = Math.min(check.timeout_ms, check.interval_seconds * 1000);
  return type.probe?.(check, { net: ports.net, settings: ports.settings, timeout_ms, now });
}
