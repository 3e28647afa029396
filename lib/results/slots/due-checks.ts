import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { isProbed } from '#lib/checks/settings/cells.ts';
import { checksOfCell } from '#lib/checks/settings/store.ts';
import type { Env, Ports } from '#lib/env.ts';
import type { Job } from '#lib/messages.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { probeBy, probeTimeout } from '#lib/results/probe/probe.ts';
import { lateFrom, nextSlotOf } from '#lib/schedule/jobs.ts';
import { intervalScheduleOf, isSlot } from '#lib/schedule/slots.ts';
import type { Probe } from './record-probe.ts';
import { isRetryDue } from './retries.ts';

/** A check that is due at the slot of a job. */
export type DueProbe = { job: Job; check: CheckItem; account: AccountItem };

/** The accounts of some jobs, by id, in one strong read. */
export async function accountsOf({ ports, keys }: Env, jobs: Job[]): Promise<Map<string, AccountItem | undefined>> {
  const ids = [...new Set(jobs.map(({ tenant_id }) => tenant_id))];
  if (ids.length === 0) return new Map();
  const accounts = await ports.table.getMany<AccountItem>(ids.map((id) => keys.account(id)));
  return new Map(ids.map((id, i) => [id, accounts[i]]));
}

/**
 * The checks that are due at the slot of a job, in one strong read of its cell. None, when the account is disabled, or
 * the slot is none of this interval. A slot before a change of settings is left to the probe of the change itself,
 * whose job names its check. A retry is due while it is wanted.
 */
export async function dueChecks(env: Env, job: Job, account: AccountItem | undefined): Promise<DueProbe[]> {
  const { cell, interval_seconds, slot, only } = job;
  if (!account || isDisabled(account) || !isSlot(intervalScheduleOf(cell, interval_seconds), slot)) return [];
  const checks = only ? await named(env, job, only) : await checksOfCell({ ...env, tenant: job.tenant_id }, cell);
  const now = env.ports.clock.now();
  return checks
    .filter((check) => isProbed(check, interval_seconds))
    .filter((check) => only !== undefined || pastOrZero(check.settings_at, now) <= slot)
    .filter((check) => !job.retry || isRetryDue(check, job.retry.rev, nextSlotOf(job), now))
    .map((check) => ({ job, check, account }));
}

async function named({ ports, keys }: Env, { tenant_id }: Job, ids: string[]): Promise<CheckItem[]> {
  const checks = await ports.table.getMany<CheckItem>(ids.map((id) => keys.check(tenant_id, id)));
  return checks.filter((check) => check !== undefined);
}

/** Probes a check at its slot. Undefined when nothing is known of its target: its slot stays a gap. */
export async function probeOnce(ports: Ports, due: DueProbe): Promise<Probe | undefined> {
  const { job, check, account } = due;
  if (job.retry) return probeAgain(ports, due, job.retry.at);
  const { tenant_id, slot } = job;
  const about = { check_id: check.id, slot };
  const timeout_ms = probeTimeout(check);
  const probed = await probeBy(ports, check, { account, tenant_id, timeout_ms, late_from: lateFrom(job), about });
  return probed && { check, slot, ...probed, retention_days: account.retention_days };
}

/**
 * Probes a check at its retry `at` (epoch ms), which ends at its next slot. Cut short by that, a target that has not
 * answered yet may still do so: nothing is known then, and the slot decides.
 */
async function probeAgain(ports: Ports, { job, check, account }: DueProbe, at: number): Promise<Probe | undefined> {
  const { tenant_id } = job;
  const about = { check_id: check.id, slot: job.slot, retry: at };
  const next_slot = nextSlotOf(job);
  const whole = probeTimeout(check);
  const timeout_ms = Math.min(whole, next_slot - ports.clock.now());
  const probed = await probeBy(ports, check, { account, tenant_id, timeout_ms, late_from: lateFrom(job), about });
  if (!probed || (timeout_ms < whole && probed.outcome.interrupted)) return undefined;
  return { check, slot: at, ...probed, retention_days: account.retention_days, retry: { next_slot } };
}
