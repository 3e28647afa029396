import type { Item } from '#lib/platform/ports.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import { offsetAt, stretchesFrom } from '#lib/schedule/calendar/zones.ts';

/** The people of a rota, and the times (epoch ms) at which they are on call. */
export type RotaPlan = {
  /** In the order of their shifts. Names are unique. */
  members: readonly { name: string; channel_ids: readonly string[] }[];
  /** `at`: local time, HH:MM. */
  handover: { every: 'day' | 'week'; at: string };
  time_zone: string;
  /** Local date of the first hand-over, to the first member, who is also on call before it. */
  starts_on: string;
  /** Ascending, without overlaps. `member`: a name. */
  overrides: readonly { starts_at: number; ends_at: number; member: string }[];
};

/** Path prefix of the calendars of rotas: their account, id and secret follow. */
export const CALENDAR_PATH = '/calendars/';

export type RotaItem = Item &
  RotaPlan & {
    v: string;
    id: string;
    name: string;
    /** Part of the address of the calendar. */
    calendar_secret: string;
    created_at: string;
    updated_at: string;
  };

/** [from, to) in epoch ms with one member on call. */
export type Shift = { from: number; to: number; member: string; channel_ids: readonly string[]; override: boolean };

/** Returns the first instant (epoch ms) at which clocks of a zone show a wall time (ms) or, if skipped, a later one. */
function instantOf(zone: string, wall: number): number {
  const stretches = stretchesFrom(zone, wall - 2 * DAY_MS);
  let { from, until, offset } = stretches.next().value;
  while (wall >= until + offset) ({ from, until, offset } = stretches.next().value);
  return Math.max(wall - offset, from);
}

const daysOf = ({ handover }: RotaPlan): number => (handover.every === 'week' ? 7 : 1);

const firstWall = ({ starts_on, handover }: RotaPlan): number => Date.parse(`${starts_on}T${handover.at}Z`);

/** Returns the time of a hand-over, by its number from 0; negative before `starts_on`. */
const handoverAt = (rota: RotaPlan, number: number): number =>
  instantOf(rota.time_zone, firstWall(rota) + number * daysOf(rota) * DAY_MS);

/** Returns the number of the last hand-over at or before an instant. */
function lastHandover(rota: RotaPlan, at: number): number {
  const wall = at + offsetAt(rota.time_zone, at);
  // Starts one higher: after a clock change, the number by wall time can be one too low.
  let number = Math.floor((wall - firstWall(rota)) / (daysOf(rota) * DAY_MS)) + 1;
  while (handoverAt(rota, number) > at) number--;
  return number;
}

/** Yields the shifts of a rota that end after `from` (epoch ms), ascending, without end. Pure. */
function* shiftsFrom(rota: RotaPlan, from: number): Generator<Shift, void> {
  const { members, overrides } = rota;
  const shift = (begin: number, to: number, member: RotaPlan['members'][number], override: boolean): Shift => ({
    from: begin,
    to,
    member: member.name,
    channel_ids: member.channel_ids,
    override,
  });
  for (let number = lastHandover(rota, from); ; number++) {
    const end = handoverAt(rota, number + 1);
    const regular = members[Math.max(0, number) % members.length]!;
    let begin = handoverAt(rota, number);
    for (const { starts_at, ends_at, member } of overrides) {
      const [start, stop] = [Math.max(starts_at, begin), Math.min(ends_at, end)];
      if (start >= stop) continue;
      if (start > begin && start > from) yield shift(begin, start, regular, false);
      if (stop > from) yield shift(start, stop, members.find(({ name }) => name === member)!, true);
      begin = stop;
    }
    if (begin < end && end > from) yield shift(begin, end, regular, false);
  }
}

/** Returns the shift at an instant (epoch ms) and the next one. Pure. */
export function onCallAt(rota: RotaPlan, at: number): { current: Shift; next: Shift } {
  const shifts = shiftsFrom(rota, at);
  return { current: shifts.next().value!, next: shifts.next().value! };
}

/** Returns the shifts that overlap [from, to), in epoch ms; they can begin before it and end after it. Pure. */
export function shiftsWithin(rota: RotaPlan, from: number, to: number): Shift[] {
  const found: Shift[] = [];
  for (const one of shiftsFrom(rota, from)) {
    if (one.from >= to) break;
    found.push(one);
  }
  return found;
}
