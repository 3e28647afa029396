import { type Denial, denialReason, type Rights } from '#lib/platform/http/access.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import { rangesOf, type WindowTimes } from '#lib/schedule/calendar/window-ranges.ts';

/** Extent of a silence or a window: whether it covers all checks, and its duration in ms (see windowDuration). */
export type SuppressionExtent = { covers_all: boolean; lasts_ms: number };

/** Maximum duration (ms) without `write`: a day, and a minute because clocks differ. */
const MAX_WITHOUT_WRITE_MS = DAY_MS + 60_000;

/**
 * Returns why the rights do not allow this silence or window; undefined if they do. One that covers all checks or lasts
 * longer than a day needs `write` (docs/use/users-and-keys.md#roles). Pure; the console uses it too.
 */
export function suppressionDenial(rights: Rights, { covers_all, lasts_ms }: SuppressionExtent): Denial | undefined {
  if (lasts_ms <= 0) return undefined;
  const extent = covers_all
    ? 'covers all checks'
    : lasts_ms > MAX_WITHOUT_WRITE_MS
      ? 'lasts longer than a day'
      : undefined;
  const denial = extent && denialReason(rights, 'write');
  return denial && { ...denial, message: `It ${extent}. ${denial.message}` };
}

/**
 * Returns the duration of a window (ms). A one-time window lasts from start to end. A recurring one starts at `from`
 * or, if later, `now`. It lasts to `until` if that is over a day later, else to the end of its last occurrence. Pure.
 */
export function windowDuration(times: WindowTimes, now: number): number {
  // Its past counts too, because it changes the uptime.
  if ('ends_at' in times) return times.ends_at - times.starts_at;
  const { from, until = Number.POSITIVE_INFINITY } = times;
  const start = Math.max(from, now);
  if (until - start > MAX_WITHOUT_WRITE_MS) return until - start;
  return Math.max(0, ...[...rangesOf(times, start)].map(({ to }) => to - start));
}
