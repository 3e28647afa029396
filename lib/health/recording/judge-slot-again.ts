import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { cellOf, numberOf, stamp, under } from '#lib/keys.ts';
import { entryOf, type PackItem } from '#lib/results/pack.ts';
import { sendProbe } from '#lib/schedule/jobs.ts';
import { latestSlot, rhythmOf } from '#lib/schedule/slots.ts';

/**
 * To be called when something else than a slot has changed the state or the counter of a check. The probe of its latest
 * slot may be under way, and have read the check before: what it finds would look quiet, and never be judged. Unless
 * that slot has its outcome by now, it is probed once more, by the check as it stands; of the two outcomes one counts,
 * as of any job that comes twice.
 */
export async function judgeSlotAgain(env: Env, check: CheckItem): Promise<void> {
  const { ports, keys } = env;
  const { tenant_id, id, interval_seconds, rev } = check;
  const cell = cellOf(id);
  const slot = latestSlot(rhythmOf(cell, interval_seconds), ports.clock.now());
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
