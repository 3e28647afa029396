import { retentionStart } from '#lib/access/retention.ts';
import type { Span } from '#lib/health/history/gap-causes.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import { ROLLUP_DELAY_MS } from '#lib/schedule/slots.ts';

/** Epoch ms at which the hour, or the UTC day, of an instant begins. */
export const hourOf = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS;
export const dayOf = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

/** From when on an hour may be rolled up (epoch ms): what comes later makes it anew. */
export const closesAt = (hour: number): number => hour + HOUR_MS + ROLLUP_DELAY_MS;
/** Whether an hour may be rolled up by now. */
export const isClosed = (hour: number, now: number): boolean => closesAt(hour) <= now;

/** A window divided where hours begin: whole hours, and a part of one at either end. */
export function hoursIn({ from, to }: Span): Span[] {
  const hours: Span[] = [];
  for (let at = from; at < to; at = hours.at(-1)!.to) hours.push({ from: at, to: Math.min(hourOf(at) + HOUR_MS, to) });
  return hours;
}

/**
 * The oldest hour (epoch ms) whose raw data is still there as a whole, and for a while: what is of one hour expires
 * together (resultExpiry).
 */
export const oldestWhole = (now: number, retentionDays: number): number =>
  hourOf(retentionStart(now, retentionDays) + ROLLUP_DELAY_MS);
