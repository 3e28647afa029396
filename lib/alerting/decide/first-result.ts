import type { CheckItem } from '#lib/checks/check-item.ts';
import { heartbeatRules } from '#lib/checks/heartbeat.ts';
import type { Env } from '#lib/env.ts';
import { slotOf } from '#lib/history/runs/runs.ts';
import { cellOf, numberOf, stamp } from '#lib/keys.ts';
import { entryOf, type PackItem } from '#lib/results/pack.ts';
import { newestReceived } from '#lib/results/pushes/newest-received.ts';
import { orderOf } from '#lib/results/result.ts';
import { nextDue } from '#lib/schedule/calendar/calendar.ts';
import { intervalScheduleOf, latestSlot } from '#lib/schedule/slots.ts';

/** By then (ms) after its slot a probe that is answered has been recorded, as what changes nothing waits for others. */
const RECORDED_MS = 3_000;
/** By then (ms) after its time-out every probe has. */
const LATE_MS = 10_000;

type ResultTiming = Pick<CheckItem, 'id' | 'execution_mode' | 'interval_seconds' | 'timeout_ms' | 'config'>;

/** Pure: when (epoch ms) its own first result at or after `from` is there, if all goes well. */
export function expectedResultAt(check: ResultTiming, from: number): number {
  if (check.execution_mode === 'push') return from + RECORDED_MS;
  return firstSlot(check, from) + RECORDED_MS;
}

/**
 * Pure: when (epoch ms) it is judged by what is known, as no result came: of a probed check after its second slot, of
 * one that is pushed when it would have been silent since `from`.
 */
export function latestDecisionAt(check: ResultTiming, from: number): number {
  if (check.execution_mode !== 'push')
    return firstSlot(check, from) + check.interval_seconds * 1000 + check.timeout_ms + LATE_MS;
  const { calendar, grace } = heartbeatRules(check);
  return ((calendar && nextDue(calendar, from)) ?? from) + grace;
}

function firstSlot({ id, interval_seconds }: ResultTiming, from: number): number {
  const rhythm = intervalScheduleOf(cellOf(id), interval_seconds);
  return latestSlot(rhythm, from - 1) + rhythm.interval_ms;
}

/** Slots that are looked at for a run; each may have several packs. */
const PACKS = 10;

/** Whether a check has a result of its own at or after `from` (epoch ms). */
export async function hasResultSince(env: Env, check: CheckItem, from: number): Promise<boolean> {
  const { ports, keys } = env;
  if (check.execution_mode === 'push') return ((await newestReceived(env, check))?.received_at ?? 0) >= from;
  if (check.single !== undefined && orderOf({ sk: check.single }) >= from) return true;
  const { items } = await ports.table.query<PackItem>({
    partition: keys.packs(check.tenant_id, cellOf(check.id), check.interval_seconds),
    from: stamp(Math.max(from, check.settings_at)),
    limit: PACKS,
  });
  return items.some((pack) => {
    const run = slotOf(pack) >= from ? entryOf(pack, numberOf(check.id)) : undefined;
    return run !== undefined && !run.gap;
  });
}
