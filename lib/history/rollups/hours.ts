import { retentionStart } from '#lib/access/retention.ts';
import type { TimeRange } from '#lib/history/results/gaps.ts';
import { HOUR_MS } from '#lib/platform/time.ts';
import { ROLLUP_DELAY_MS, startOfHour } from '#lib/schedule/slots.ts';

/** Divides a range at full hours; the first and last part may be shorter than an hour. */
export function hoursIn({ from, to }: TimeRange): TimeRange[] {
  const hours: TimeRange[] = [];
  for (let at = from; at < to; at = hours.at(-1)!.to)
    hours.push({ from: at, to: Math.min(startOfHour(at) + HOUR_MS, to) });
  return hours;
}

/** Returns the oldest hour (epoch ms) with raw data that is complete for another ROLLUP_DELAY_MS (resultExpiry). */
export const oldestCompleteHour = (now: number, retentionDays: number): number =>
  startOfHour(retentionStart(now, retentionDays) + ROLLUP_DELAY_MS);
