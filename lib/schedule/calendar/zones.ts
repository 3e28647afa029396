import { closestName } from '#lib/platform/http/closest-name.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import { CalendarError } from './schedule-line.ts';

/** Time range [from, until) in epoch ms with a constant `offset` (ms) of a zone from UTC. */
type Stretch = { from: number; until: number; offset: number };

type Zone = { format: Intl.DateTimeFormat; years: Map<number, Stretch[]> };

const zones = new Map<string, Zone>();
/** Maximum number of cached zones, more than IANA has: computing the clock changes of a year takes up to 5 ms. */
const MAX_ZONES = 1000;

/** Minimum time (ms) between two clock changes of a zone: Ramadan, in Morocco and Gaza. */
const MIN_CHANGE_MS = 28 * DAY_MS;

/** Whether a name is a zone of the IANA database of this process. */
export function isZone(name: string): boolean {
  // Intl also accepts offsets such as +02:00.
  if (!/^[a-z]/i.test(name)) return false;
  try {
    zoneOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

export function notAZone(name: string): CalendarError {
  const places = Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'));
  const meant = closestName(name, places);
  return new CalendarError(
    `"${name}" is not an IANA time zone; ${meant ? `did you mean ${meant}?` : 'write one such as Europe/Berlin or UTC'}`,
  );
}

/** Returns the offset (ms) of a zone from UTC at an instant (epoch ms). */
export function offsetAt(zone: string, at: number): number {
  return stretchesOf(zoneOf(zone), new Date(at).getUTCFullYear()).find(({ until }) => until > at)!.offset;
}

/** Yields stretches from an instant (epoch ms) on, without end; each ends at a clock change or with a UTC year. */
export function* stretchesFrom(zone: string, at: number): Generator<Stretch, never> {
  const found = zoneOf(zone);
  for (let year = new Date(at).getUTCFullYear(); ; year++) {
    for (const stretch of stretchesOf(found, year)) if (stretch.until > at) yield stretch;
  }
}

function zoneOf(name: string): Zone {
  const key = name.toLowerCase();
  const known = zones.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  const [oldest] = zones.keys();
  if (oldest !== undefined && zones.size >= MAX_ZONES) zones.delete(oldest);
  const zone = { format, years: new Map() };
  zones.set(key, zone);
  return zone;
}

function stretchesOf(zone: Zone, year: number): Stretch[] {
  const known = zone.years.get(year);
  if (known) return known;
  const [begin, end] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
  const stretches: Stretch[] = [];
  let last: Stretch = { from: begin, until: end, offset: lookUp(zone, begin) };
  for (let at = begin; at < end; at += MIN_CHANGE_MS) {
    const next = Math.min(at + MIN_CHANGE_MS, end - 1000);
    const offset = lookUp(zone, next);
    if (offset === last.offset) continue;
    const change = changeBetween(zone, at, next, last.offset);
    stretches.push({ ...last, until: change });
    last = { from: change, until: end, offset };
  }
  stretches.push(last);
  zone.years.set(year, stretches);
  return stretches;
}

/** Returns the first second (epoch ms) in (low, high] at which the offset is no longer `before`. */
function changeBetween(zone: Zone, low: number, high: number, before: number): number {
  let [same, changed] = [low, high];
  while (changed - same > 1000) {
    const middle = same + Math.floor((changed - same) / 2000) * 1000;
    if (lookUp(zone, middle) === before) same = middle;
    else changed = middle;
  }
  return changed;
}

/** Matches `11/22/2026, GMT+01:00`, and `GMT` for UTC. */
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

function lookUp({ format }: Zone, at: number): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(format.format(at))!;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ms : ms;
}
