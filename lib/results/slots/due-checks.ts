import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { probeTimeout } from '#lib/checks/check-item.ts';
import { isProbed } from '#lib/checks/settings/cells.ts';
import { checksOfCell } from '#lib/checks/settings/store.ts';
import type { Env, Ports } from '#lib/env.ts';
import type { Job } from '#lib/messages.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { probeTarget } from '#lib/results/probe/probe.ts';
import { lateFrom, nextSlotOf } from '#lib/schedule/jobs.ts';
import { intervalScheduleOf, isSlot } from '#lib/schedule/slots.ts';
import type { Probe } from './record-probe.ts';
import { isRetryDue } from './retries.ts';

export type DueProbe = { job: Job; check: CheckItem; account: AccountItem };

/** Reads the accounts of jobs, by id, strongly consistent. */
export async function accountsOf({ ports, keys }: Env, jobs: Job[]): Promise<Map<string, AccountItem | undefined>> {
  const ids = [...new Set(jobs.map(({ tenant_id }) => tenant_id))];
  if (ids.length === 0) return new Map();
  const accounts = await ports.table.getMany<AccountItem>(ids.map((id) => keys.account(id)));
  return new Map(ids.map((id, i) => [id, accounts[i]]));
}

/**
 * Reads the checks due at the slot of a job, strongly consistent; none if the account is disabled or missing, or the
 * slot is not of the interval. A check whose settings changed after the slot is due only if the job names it.
 */
export async function dueChecks(env: Env, job: Job, account: AccountItem | undefined): Promise<DueProbe[]> {
  const { cell, interval_seconds, slot, only } = job;
  if (!account || isDisabled(account) || !isSlot(intervalScheduleOf(cell, interval_seconds), slot)) return [];
  const checks = only ? await checksById(env, job, only) : await checksOfCell({ ...env, tenant: job.tenant_id }, cell);
  const now = env.ports.clock.now();
  return checks
    .filter((check) => isProbed(check, interval_seconds))
    .filter((check) => only !== undefined || pastOrZero(check.settings_at, now) <= slot)
    .filter((check) => !job.retry || isRetryDue(check, job.retry.rev, nextSlotOf(job), now))
    .map((check) => ({ job, check, account }));
}

async function checksById({ ports, keys }: Env, { tenant_id }: Job, ids: string[]): Promise<CheckItem[]> {
  const checks = await ports.table.getMany<CheckItem>(ids.map((id) => keys.check(tenant_id, id)));
  return checks.filter((check) => check !== undefined);
}

/**
 * Probes a check for its slot or retry. Returns undefined if the outcome is unknown: a slot then becomes a gap; after a
 * retry, the next retry or slot decides.
 */
export async function probeOnce(ports: Ports, due: DueProbe): Promise<Probe | undefined> {
  const { job, check, account } = due;
  if (job.retry) return probeRetry(ports, due, job.retry.at);
  const { tenant_id, slot } = job;
  const about = { check_id: check.id, slot };
  const timeout_ms = probeTimeout(check);
  const probed = await probeTarget(ports, check, { account, tenant_id, timeout_ms, late_from: lateFrom(job), about });
  return probed && { check, slot, ...probed, retention_days: account.retention_days };
}

/** Probes a check for its retry at `at` (epoch ms), until the next slot at most; an outcome cut off then is unknown. */
async function probeRetry(ports: Ports, { job, check, account }: DueProbe, at: number): Promise<Probe | undefined> {
  const { tenant_id } = job;
  const about = { check_id: check.id, slot: job.slot, retry: at };
  const next_slot = nextSlotOf(job);
  const whole = probeTimeout(check);
  const timeout_ms = Math.min(whole, next_slot - ports.clock.now());
  const probed = await probeTarget(ports, check, { account, tenant_id, timeout_ms, late_from: lateFrom(job), about });
  if (!probed || (timeout_ms < whole && probed.outcome.interrupted)) return undefined;
  return { check, slot: at, ...probed, retention_days: account.retention_days, retry: { next_slot } };
}
