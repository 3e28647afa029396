import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checksOfCell } from '#lib/checks/settings/store.ts';
import { isProbed } from '#lib/checks/settle-cell.ts';
import type { Env } from '#lib/env.ts';
import type { Job } from '#lib/messages.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { isSlot, rhythmOf } from '#lib/schedule/slots.ts';
import { isWanted } from './retries.ts';

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
  if (!account || isDisabled(account) || !isSlot(rhythmOf(cell, interval_seconds), slot)) return [];
  const checks = only ? await named(env, job, only) : await checksOfCell({ ...env, tenant: job.tenant_id }, cell);
  const now = env.ports.clock.now();
  return checks
    .filter((check) => isProbed(check, interval_seconds))
    .filter((check) => only !== undefined || pastOrZero(check.settings_at, now) <= slot)
    .filter((check) => !job.retry || isWanted(check, job.retry.rev, nextSlotOf(job), now))
    .map((check) => ({ job, check, account }));
}

async function named({ ports, keys }: Env, { tenant_id }: Job, ids: string[]): Promise<CheckItem[]> {
  const checks = await ports.table.getMany<CheckItem>(ids.map((id) => keys.check(tenant_id, id)));
  return checks.filter((check) => check !== undefined);
}

/** The slot after that of a job (epoch ms). */
export const nextSlotOf = ({ slot, interval_seconds }: Job): number => slot + interval_seconds * 1000;

/** From when on (epoch ms) the next slot or retry is due, so that a probe would speak for another time. */
export const lateFrom = (job: Job): number => job.retry?.until ?? nextSlotOf(job);

export const isLate = (job: Job, now: number): boolean => lateFrom(job) <= now;

/** Clocks of two processes differ by less (ms). */
const SKEW_MS = 1_000;

/** A retry whose instant is farther ahead than a message can wait: it is only passing by. */
export const isAhead = ({ retry }: Job, now: number): boolean => retry !== undefined && retry.at > now + SKEW_MS;
