import { closestName } from '#lib/platform/http/closest-name.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import { CalendarError } from './schedule-line.ts';

/** A time in which the clocks of a zone are the same `offset` (ms) ahead of UTC: [from, until) in epoch ms. */
type Stretch = { from: number; until: number; offset: number };

type Zone = { format: Intl.DateTimeFormat; years: Map<number, Stretch[]> };

/** Zones in use, by their names in lower case. */
const zones = new Map<string, Zone>();
const MAX_ZONES = 100;

/** Clocks of a zone change at most once in this time (ms). */
const LOOK_MS = 7 * DAY_MS;

/** Whether it names a zone of the IANA database, as the zone data of this process has it. */
export function isZone(name: string): boolean {
  // Intl takes offsets such as +02:00 too.
  if (!/^[a-z]/i.test(name)) return false;
  try {
    zoneOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Why a name is no zone: `"Berlin" is no IANA time zone; did you mean Europe/Berlin?` */
export function notAZone(name: string): CalendarError {
  const places = Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'));
  const meant = closestName(name, places);
  return new CalendarError(
    `"${name}" is no IANA time zone; ${meant ? `did you mean ${meant}?` : 'write one such as Europe/Berlin or UTC'}`,
  );
}

/** How far the clocks of a zone are ahead of UTC at an instant (epoch ms); ms. */
export function offsetAt(zone: string, at: number): number {
  return stretchesOf(zoneOf(zone), new Date(at).getUTCFullYear()).find(({ until }) => until > at)!.offset;
}

/**
 * The time from an instant (epoch ms) on, without end, in stretches: the first is the one that holds it. A stretch ends
 * where clocks change, and with each year.
 */
export function* stretchesFrom(zone: string, at: number): Generator<Stretch, never> {
  const own = zoneOf(zone);
  for (let year = new Date(at).getUTCFullYear(); ; year++) {
    for (const stretch of stretchesOf(own, year)) if (stretch.until > at) yield stretch;
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
  for (let at = begin; at < end; at += LOOK_MS) {
    const next = Math.min(at + LOOK_MS, end - 1000);
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

/** The first second (epoch ms) at which the offset is no longer `before`: after `low`, at `high` at the latest. */
function changeBetween(zone: Zone, low: number, high: number, before: number): number {
  let [same, changed] = [low, high];
  while (changed - same > 1000) {
    const middle = same + Math.floor((changed - same) / 2000) * 1000;
    if (lookUp(zone, middle) === before) same = middle;
    else changed = middle;
  }
  return changed;
}

/** `11/22/2026, GMT+01:00`; `GMT` alone for UTC. */
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

function lookUp({ format }: Zone, at: number): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(format.format(at))!;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ms : ms;
}
