import * as z from 'zod';

/** Epoch ms to the form times go out in: `2026-11-21T05:16:40.123Z`. */
export const iso = (ms: number): string => new Date(ms).toISOString();

/** Clocks of our machines differ by less than this (ms). */
const CLOCKS_APART_MS = 10_000;

/** A stored time (epoch ms), or 0 when it is more than 10 s ahead of `now`: our clock was stepped back since. */
export const pastOrZero = (noted: number, now: number): number => (noted > now + CLOCKS_APART_MS ? 0 : noted);

const DATE = String.raw`(?<year>\d{4})(?<dash>-?)(?<month>\d{2})\k<dash>(?<day>\d{2})`;
const TIME = String.raw`(?<hour>\d{2})(?::?(?<minute>\d{2})(?::?(?<second>\d{2})(?:[.,](?<fraction>\d{1,20}))?)?)?`;
const ZONE = String.raw`Z|(?<sign>[+-])(?<zoneHour>\d{2})(?::?(?<zoneMinute>\d{2}))?`;
const ISO_8601 = new RegExp(`^${DATE}(?:[T ]${TIME}(?:${ZONE})?)?$`, 'i');

/**
 * Any ISO 8601 instant to epoch ms: calendar dates, extended or basic form, with an offset or none for UTC; finer
 * than a millisecond is cut off. Undefined when it is none, also for a day that no calendar has.
 */
export function parseInstant(text: string): number | undefined {
  const part = ISO_8601.exec(text)?.groups;
  if (!part) return undefined;
  const number = (name: string): number => Number(part[name] ?? 0);
  const [year, month, day] = [number('year'), number('month'), number('day')];
  const [hour, minute, second] = [number('hour'), number('minute'), number('second')];
  const ms = Number((part.fraction ?? '').slice(0, 3).padEnd(3, '0'));

  const midnight = new Date(0).setUTCFullYear(year, month - 1, day);
  const isDay = new Date(midnight).getUTCMonth() === month - 1 && new Date(midnight).getUTCDate() === day;
  const isTime = minute < 60 && second < 60 && (hour < 24 || (hour === 24 && minute + second + ms === 0));
  const isZone = number('zoneHour') < 24 && number('zoneMinute') < 60;
  if (!isDay || !isTime || !isZone) return undefined;

  const offset = (part.sign === '-' ? -1 : 1) * (number('zoneHour') * 60 + number('zoneMinute'));
  return midnight + ((hour * 60 + minute - offset) * 60 + second) * 1000 + ms;
}

/** An ISO 8601 time of a request, as epoch ms. */
export const Instant = z
  .string()
  .meta({ description: 'Any ISO 8601 time; without an offset in UTC.', examples: ['2026-11-21T05:16:40Z'] })
  .transform((text, context) => {
    const ms = parseInstant(text);
    if (ms !== undefined) return ms;
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 time, such as 2026-11-21T05:16:40Z' });
    return z.NEVER;
  });
