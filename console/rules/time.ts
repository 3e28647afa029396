const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Time zone setting; `local` is the zone of the browser. */
export type Zone = 'local' | 'utc';

const UNITS = [
  ['d', DAY],
  ['h', HOUR],
  ['min', MINUTE],
  ['s', SECOND],
] as const;

/** Formats a duration in its two largest units: `3 d 4 h`, `12 min`, `0 s`. @param ms negative counts as 0 */
export function duration(ms: number): string {
  const first = UNITS.findIndex(([, size]) => ms >= size);
  if (first < 0) return '0 s';
  const [name, size] = UNITS[first]!;
  const whole = Math.floor(ms / size);
  const next = UNITS[first + 1];
  const rest = next ? Math.floor((ms - whole * size) / next[1]) : 0;
  return rest > 0 && next ? `${whole} ${name} ${rest} ${next[0]}` : `${whole} ${name}`;
}

/** Formats a duration in one unit: `3 d`, `12 min`, `0 s`. */
export function shortDuration(ms: number): string {
  const [name, size] = UNITS.find(([, size]) => ms >= size) ?? ['s', SECOND];
  return `${Math.max(0, Math.floor(ms / size))} ${name}`;
}

/** Formats a time relative to now: `4 min ago`, `in 2 h`, `now`. */
export function relative(at: number, now: number): string {
  const ms = now - at;
  if (Math.abs(ms) < SECOND) return 'now';
  return ms > 0 ? `${shortDuration(ms)} ago` : `in ${shortDuration(-ms)}`;
}

const zoneOf = (zone: Zone) => (zone === 'utc' ? { timeZone: 'UTC' } : {});

/** Cached, because creating a format takes a hundred times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: Zone, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${Object.values(options)}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', { ...options, ...zoneOf(zone) });
  formats.set(key, made);
  return made;
}

const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;

/** `22 Nov 2026, 17:14:05`. @param at epoch ms */
export const dateTime = (at: number, zone: Zone): string => formatOf(zone, { ...DATE, ...CLOCK }).format(at);

export const clock = (at: number, zone: Zone): string => formatOf(zone, CLOCK).format(at);

export const date = (at: number, zone: Zone): string => formatOf(zone, DATE).format(at);

const MINUTES = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const DAY_AND_MINUTES = { weekday: 'short', ...DATE, ...MINUTES } as const;

/** `02:30`. @param at epoch ms */
export const hourAndMinute = (at: number, zone: Zone): string => formatOf(zone, MINUTES).format(at);

/** Formats a time range: `Sat 12 Dec 2026, 02:30 to 05:30`, with the end date if it differs. Times in epoch ms. */
export function timeRange(from: number, to: number, zone: Zone): string {
  const isSameDay = date(from, zone) === date(to, zone);
  return `${formatOf(zone, DAY_AND_MINUTES).format(from)} to ${formatOf(zone, isSameDay ? MINUTES : DAY_AND_MINUTES).format(to)}`;
}

const MONTH = { month: 'long', year: 'numeric' } as const;

/** `December 2026`. @param at epoch ms */
export const monthName = (at: number, zone: Zone): string => formatOf(zone, MONTH).format(at);

/** Formats a time in an IANA zone: `Sat 02:30`. @param at epoch ms */
export const clockIn = (name: string, at: number): string =>
  new Intl.DateTimeFormat('en-GB', { weekday: 'short', ...MINUTES, timeZone: name }).format(at);

export const zoneName = (zone: Zone): string =>
  zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;

const digits = (n: number, count = 2): string => String(n).padStart(count, '0');

/** Formats a time for a time field: `2026-11-22T17:14`. @param at ISO 8601; '' if it is invalid */
export function typedTime(at: string, zone: Zone): string {
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return '';
  if (zone === 'utc') return moment.toISOString().slice(0, 16);
  const day = [digits(moment.getFullYear(), 4), digits(moment.getMonth() + 1), digits(moment.getDate())].join('-');
  return `${day}T${digits(moment.getHours())}:${digits(moment.getMinutes())}`;
}

/** Parses the value of a time field to ISO 8601 in UTC; '' if it is invalid. */
export function timeOf(typed: string, zone: Zone): string {
  const moment = new Date(zone === 'utc' ? `${typed}Z` : typed);
  return typed === '' || Number.isNaN(moment.getTime()) ? '' : moment.toISOString();
}
