import { type Denial, denialReason, type Rights } from '#lib/platform/http/access.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import type { WindowTimes } from '#lib/schedule/calendar/intervals.ts';

/** Extent of a silence or a window: whether it covers all checks, and how long it lasts from now, in ms. */
export type Muting = { covers_all: boolean; lasts_ms: number };

/** Longest duration without `write`, with a minute more, because clocks differ. */
const MAX_RESPOND_MS = DAY_MS + 60_000;

/**
 * Returns why the rights do not allow to mute this; undefined if they do. All checks, and more than a day, need `write`
 * (docs/use/users-and-keys.md#roles). Pure; the console uses it too.
 */
export function muteDenial(rights: Rights, { covers_all, lasts_ms }: Muting): Denial | undefined {
  if (lasts_ms <= 0) return undefined;
  const extent = covers_all ? 'covers all checks' : lasts_ms > MAX_RESPOND_MS ? 'lasts longer than a day' : undefined;
  const denial = extent && denialReason(rights, 'write');
  return denial && { ...denial, message: `It ${extent}. ${denial.message}` };
}

/** Returns the time in ms from the first start of a window, if it recurs at least from `now`, to its end. Pure. */
export function windowLasts(times: WindowTimes, now: number): number {
  // Also its past affects uptime.
  if ('ends_at' in times) return times.ends_at - times.starts_at;
  // Other occurrences of a recurring window without an end follow forever.
  const { from, until = Number.POSITIVE_INFINITY } = times;
  return until - Math.max(from, now);
}
