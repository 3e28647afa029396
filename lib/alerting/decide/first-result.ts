import type { CheckItem } from '#lib/checks/check-item.ts';
import { heartbeatRules } from '#lib/checks/heartbeat.ts';
import type { Env } from '#lib/env.ts';
import { slotOf } from '#lib/history/results/stored-results.ts';
import { cellOf, numberOf, stamp } from '#lib/keys.ts';
import { entryOf, type PackItem } from '#lib/results/pack.ts';
import { newestReceived } from '#lib/results/pushes/newest-received.ts';
import { orderOf } from '#lib/results/result.ts';
import { nextDue } from '#lib/schedule/calendar/calendar.ts';
import { intervalScheduleOf, latestSlot } from '#lib/schedule/slots.ts';

/** Time in ms after a slot by which the result of a responding target is recorded, including the wait for its pack. */
const RECORDED_MS = 3_000;
/** Time in ms after the timeout of a probe by which its result is recorded. */
const LATE_MS = 10_000;

type ResultTiming = Pick<CheckItem, 'id' | 'execution_mode' | 'interval_seconds' | 'timeout_ms' | 'config'>;

/** Returns the expected time (epoch ms) of the first result at or after `from`. Pure. */
export function expectedResultAt(check: ResultTiming, from: number): number {
  if (check.execution_mode === 'push') return from + RECORDED_MS;
  return firstSlot(check, from) + RECORDED_MS;
}

/** Returns when (epoch ms) to decide without a new result: after two slots, or at the heartbeat deadline. Pure. */
export function latestDecisionAt(check: ResultTiming, from: number): number {
  if (check.execution_mode !== 'push')
    return firstSlot(check, from) + check.interval_seconds * 1000 + check.timeout_ms + LATE_MS;
  const { calendar, grace } = heartbeatRules(check);
  return ((calendar && nextDue(calendar, from)) ?? from) + grace;
}

function firstSlot({ id, interval_seconds }: ResultTiming, from: number): number {
  const schedule = intervalScheduleOf(cellOf(id), interval_seconds);
  return latestSlot(schedule, from - 1) + schedule.interval_ms;
}

/** Maximum number of packs to read; a slot can have several. */
const PACKS = 10;

/** Whether a check has a result at or after `from` (epoch ms). */
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
    const entry = slotOf(pack) >= from ? entryOf(pack, numberOf(check.id)) : undefined;
    return entry !== undefined && !entry.gap;
  });
}
