import { retentionStart } from '#lib/access/retention.ts';
import type { TimeRange } from '#lib/history/runs/gaps.ts';
import { HOUR_MS } from '#lib/platform/time.ts';
import { hourOf, ROLLUP_DELAY_MS } from '#lib/schedule/slots.ts';

/** Divides a range into whole hours, with a part of an hour at either end. */
export function hoursIn({ from, to }: TimeRange): TimeRange[] {
  const hours: TimeRange[] = [];
  for (let at = from; at < to; at = hours.at(-1)!.to) hours.push({ from: at, to: Math.min(hourOf(at) + HOUR_MS, to) });
  return hours;
}

/** Returns the oldest hour (epoch ms) with complete raw data, which expires by the hour (resultExpiry). */
export const oldestWhole = (now: number, retentionDays: number): number =>
  hourOf(retentionStart(now, retentionDays) + ROLLUP_DELAY_MS);
