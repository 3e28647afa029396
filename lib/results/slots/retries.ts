import type { CheckItem } from '#lib/checks/check-item.ts';
import { isUnconfirmed } from '#lib/checks/state/next-state.ts';
import type { Env } from '#lib/env.ts';
import { cellOf, numberOf, stamp, under } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import { entryOf, type PackItem } from '#lib/results/pack.ts';
import { orderOf } from '#lib/results/result.ts';
import { packAlone, sendProbe } from '#lib/schedule/jobs.ts';
import { intervalScheduleOf, latestSlot } from '#lib/schedule/slots.ts';

/**
 * A probe between a slot and the next one, at `at`; left out once `until` has come, when its successor or the next slot
 * is due. All in epoch ms.
 */
type Retry = { slot: number; at: number; until: number };

/**
 * The first instant behind `after` (epoch ms) at which an undecided check is probed again: slot + j × retry interval,
 * strictly before the next slot. Undefined where that comes first, or the check has no retries. Pure.
 */
export function nextRetry(
  {
    id,
    interval_seconds,
    retry_interval_seconds = 0,
  }: Pick<CheckItem, 'id' | 'interval_seconds' | 'retry_interval_seconds'>,
  after: number,
): Retry | undefined {
  if (retry_interval_seconds === 0) return undefined;
  const rhythm = intervalScheduleOf(cellOf(id), interval_seconds);
  const slot = latestSlot(rhythm, after);
  const step = retry_interval_seconds * 1000;
  const at = slot + (Math.floor((after - slot) / step) + 1) * step;
  const next = slot + rhythm.interval_ms;
  return at < next ? { slot, at, until: Math.min(at + step, next) } : undefined;
}

/**
 * Whether a retry is still worth anything: its settings stand, its check is undecided, and nothing of the next slot was
 * judged. The clock alone does not tell that, as those of two processes differ.
 * @param check as it stands
 */
export const isRetryDue = (check: CheckItem, rev: number, next_slot: number, now: number): boolean =>
  check.rev === rev &&
  isUnconfirmed(check) &&
  now < next_slot &&
  (check.single === undefined || orderOf({ sk: check.single }) < next_slot);

/**
 * Has a check that a result left undecided probed again before its next slot. To be called once that is written: the
 * message may be lost, by a crash or because it cannot be sent, and then the next slot decides.
 * @param judged epoch ms that the result stands at
 */
export async function sendRetry(env: Env, check: CheckItem, judged: number): Promise<void> {
  const retry = nextRetry(check, Math.max(env.ports.clock.now(), judged));
  if (!retry) return;
  const { tenant_id, id, interval_seconds, rev } = check;
  const { slot, at, until } = retry;
  await send(env, { tenant_id, cell: cellOf(id), interval_seconds, slot, only: [id], retry: { at, until, rev } });
}

/**
 * Goes on with the next instant after a retry that found nothing, as it came too late or this process stood still: one
 * that is dropped must not end those that follow it. Nothing is read for that. Does nothing for any other job.
 */
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
    ports.log.warn('a retry could not be sent, so that the next slot decides', { job, error });
  });
}

/**
 * To be called when something else than a slot has changed the state or the counter of a check. The probe of its latest
 * slot may be under way, and have read the check before: what it finds would look quiet, and never be judged. Unless
 * that slot has its outcome by now, it is probed once more, by the check as it stands; of the two outcomes one counts,
 * as of any job that comes twice.
 */
export async function reprobeSlot(env: Env, check: CheckItem): Promise<void> {
  const { ports, keys } = env;
  const { tenant_id, id, interval_seconds, rev } = check;
  const cell = cellOf(id);
  const slot = latestSlot(intervalScheduleOf(cell, interval_seconds), ports.clock.now());
  // The probe after a change of settings is always judged.
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
