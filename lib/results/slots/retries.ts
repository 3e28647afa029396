import type { CheckItem } from '#lib/checks/check-item.ts';
import { isUnconfirmed } from '#lib/checks/state/next-state.ts';
import type { Env } from '#lib/env.ts';
import { cellOf, numberOf, stamp, under } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import { entryOf, type PackItem } from '#lib/results/pack.ts';
import { orderOf } from '#lib/results/result.ts';
import { packAlone, sendProbe } from '#lib/schedule/jobs.ts';
import { intervalScheduleOf, latestSlot } from '#lib/schedule/slots.ts';

/** Probe between slots, at `at`; skipped from `until`, when the next retry or slot is due. Epoch ms. */
type Retry = { slot: number; at: number; until: number };

/** Returns the first retry after a time (epoch ms): slot + j × retry interval, before the next slot. Pure. */
export function nextRetry(
  {
    id,
    interval_seconds,
    retry_interval_seconds = 0,
  }: Pick<CheckItem, 'id' | 'interval_seconds' | 'retry_interval_seconds'>,
  after: number,
): Retry | undefined {
  if (retry_interval_seconds === 0) return undefined;
  const schedule = intervalScheduleOf(cellOf(id), interval_seconds);
  const slot = latestSlot(schedule, after);
  const step = retry_interval_seconds * 1000;
  const at = slot + (Math.floor((after - slot) / step) + 1) * step;
  const next = slot + schedule.interval_ms;
  return at < next ? { slot, at, until: Math.min(at + step, next) } : undefined;
}

/** Whether a retry is useful. The next slot can have a result before it is due, because clocks differ. */
export const isRetryDue = (check: CheckItem, rev: number, next_slot: number, now: number): boolean =>
  check.rev === rev &&
  isUnconfirmed(check) &&
  now < next_slot &&
  (check.single === undefined || orderOf({ sk: check.single }) < next_slot);

/** Sends the next retry after a result at the time `at` (epoch ms); if the message is lost, the next slot decides. */
export async function sendRetry(env: Env, check: CheckItem, at: number): Promise<void> {
  const retry = nextRetry(check, Math.max(env.ports.clock.now(), at));
  if (!retry) return;
  const { tenant_id, id, interval_seconds, rev } = check;
  const { slot, until } = retry;
  await send(env, {
    tenant_id,
    cell: cellOf(id),
    interval_seconds,
    slot,
    only: [id],
    retry: { at: retry.at, until, rev },
  });
}

/** Sends the retry after one that was skipped or has an unknown outcome; does nothing if the job is not a retry. */
export async function sendNextRetry(env: Env, job: Job): Promise<void> {
  const { retry, slot, interval_seconds } = job;
  const next_slot = slot + interval_seconds * 1000;
  const now = env.ports.clock.now();
  if (!retry || retry.until >= next_slot || now >= next_slot) return;
  const step = retry.until - retry.at;
  const at = slot + (Math.floor((now - slot) / step) + 1) * step;
  if (at >= next_slot) return;
  await send(env, { ...job, retry: { ...retry, at, until: Math.min(at + step, next_slot) } });
}

async function send({ ports }: Env, job: Job): Promise<void> {
  await ports.queues.send('job', packAlone([job], ports.clock.now())).catch((error: unknown) => {
    ports.log.warn('retry not sent, the next slot decides', { job, error });
  });
}

/**
 * Sends another probe for the latest slot of a check, unless the slot has an outcome. Call it after a manual run that
 * changed the state or a counter. A probe in progress may have read the check before the change; its result would look
 * quiet and not be applied. If the slot then has two outcomes, one counts.
 */
export async function reprobeSlot(env: Env, check: CheckItem): Promise<void> {
  const { ports, keys } = env;
  const { tenant_id, id, interval_seconds, rev } = check;
  const cell = cellOf(id);
  const slot = latestSlot(intervalScheduleOf(cell, interval_seconds), ports.clock.now());
  // The first probe after a change of settings is never packed, so it is applied.
  if (slot < check.settings_at) return;
  const [single, packs] = await Promise.all([
    ports.table.get(keys.result(tenant_id, id, slot, String(rev))),
    ports.table.query<PackItem>({
      partition: keys.packs(tenant_id, cell, interval_seconds),
      ...under(stamp(slot)),
    }),
  ]);
  if (single || packs.items.some((pack) => entryOf(pack, numberOf(id)))) return;
  await sendProbe(env, check, slot);
}
