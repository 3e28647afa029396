import type { Random } from '#test/support/random.ts';

/** Time zones with all kinds of clock changes, and one without. */
export const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'America/Havana',
  'Africa/Casablanca',
  'Africa/Cairo',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Asia/Kathmandu',
] as const;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const FROM = Date.UTC(2024, 0, 1);
const UNTIL = Date.UTC(2032, 0, 1);

const offsetFormats = new Map<string, Intl.DateTimeFormat>();
const offsetName = (zone: string, at: number): string => {
  const known = offsetFormats.get(zone);
  const format = known ?? new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  if (!known) offsetFormats.set(zone, format);
  return format.format(at).split(' ').at(-1)!;
};

const changes = new Map<string, number[]>();

/** Returns the clock changes of a time zone (epoch ms), rounded up to the hour. */
function changesOf(zone: string): number[] {
  const known = changes.get(zone);
  if (known) return known;
  const found: number[] = [];
  const hour = 60 * MINUTE_MS;
  for (let day = FROM; day < UNTIL; day += DAY_MS) {
    if (offsetName(zone, day) === offsetName(zone, day + DAY_MS)) continue;
    for (let at = day; at < day + DAY_MS; at += hour)
      if (offsetName(zone, at) !== offsetName(zone, at + hour)) found.push(at + hour);
  }
  changes.set(zone, found);
  return found;
}

/** Returns a time (epoch ms): seven in ten are within 30 hours of a clock change, most of these within two hours. */
export function randomInstant(random: Random, zone: string): number {
  const near = changesOf(zone);
  if (near.length === 0 || random.chance(0.3)) return random.int(FROM, UNTIL);
  const far = random.chance(0.7) ? 2 * 60 * MINUTE_MS : 30 * 60 * MINUTE_MS;
  const at = random.pick(near) + random.int(-far, far);
  return random.chance(0.3) ? Math.floor(at / MINUTE_MS) * MINUTE_MS : at;
}

/**
 * Returns one number, a range, a step or a list, mostly of numbers in `usual`.
 * @param dash sign of a range
 * @param most maximum of a number
 */
function part(random: Random, from: number, to: number, usual: readonly number[], dash: string, most = to): string {
  const two = (n: number) => (dash === '..' && random.chance(0.5) ? String(n).padStart(2, '0') : String(n));
  const one = () => (random.chance(0.6) ? random.pick(usual) : random.int(from, most));
  const ends = () =>
    [one(), one()]
      .sort((a, b) => a - b)
      .map(two)
      .join(dash);
  const kind = random.int(1, 10);
  if (kind <= 5) return two(one());
  if (kind <= 6) return ends();
  if (kind <= 7) return `${ends()}/${random.int(1, 5)}`;
  if (kind <= 8) return `${two(one())}/${random.int(1, Math.max(2, Math.floor(to / 2)))}`;
  if (kind <= 9) return dash === '-' ? `*/${random.int(1, to)}` : '*';
  return [two(one()), ends(), two(one())].join(',');
}

const MINUTES = [0, 0, 15, 30, 30, 45, 59];
const HOURS = [0, 0, 1, 1, 2, 2, 3, 3, 4, 23];

/** Returns five cron fields, mostly due near the hours of clock changes. */
export function randomCron(random: Random): string {
  const days = ['sun', 'MON', 'tue', 'Wed', 'thu', 'fri', 'SAT'];
  const star = (chance: number, text: () => string) => (random.chance(chance) ? '*' : text());
  return [
    star(0.15, () => part(random, 0, 59, MINUTES, '-')),
    star(0.3, () => part(random, 0, 23, HOURS, '-')),
    star(0.7, () => part(random, 1, 31, [1, 15, 25, 28, 29, 30, 31], '-')),
    star(0.8, () => part(random, 1, 12, [3, 4, 9, 10, 11], '-')),
    star(0.6, () => (random.chance(0.3) ? random.pick(days) : part(random, 0, 7, [0, 5, 6, 7], '-'))),
  ].join(' ');
}

/** Returns one line of systemd OnCalendar that is due at most once a minute. */
export function randomOnCalendar(random: Random): string {
  const star = (chance: number, text: () => string) => (random.chance(chance) ? '*' : text());
  const weekday = () => random.pick(['Mon', 'tue', 'Wednesday', 'Thu', 'Fri', 'Sat', 'SUN']);
  const weekdays = random.pick([weekday, () => 'Mon..Fri', () => 'Sat,Sun', () => 'Fri-Sun', () => `${weekday()},Sun`]);
  const year = random.chance(0.9) ? '*' : part(random, 2026, 2034, [2026, 2027], '..', 2034);
  const month = star(0.8, () => part(random, 1, 12, [3, 4, 9, 10, 11], '..'));
  const fromEnd = random.chance(0.15);
  const day = star(fromEnd ? 0 : 0.6, () =>
    fromEnd ? part(random, 1, 28, [1, 2, 7], '..').replaceAll('*', '1') : part(random, 1, 31, [1, 15, 25, 30], '..'),
  );
  const date = `${year}-${month}${fromEnd ? '~' : '-'}${day}`;
  const hour = star(0.3, () => part(random, 0, 23, HOURS, '..'));
  const minute = star(0.15, () => part(random, 0, 59, MINUTES, '..'));
  const second = random.pick(['', ':00', ':0', ':30', ':59']);
  const time = `${hour}:${minute}${second}`;
  const words = [random.chance(0.3) ? weekdays() : '', random.chance(0.7) ? date : '', random.chance(0.9) ? time : ''];
  const text = words.filter((word) => word !== '').join(' ');
  return text === '' ? random.pick(['daily', 'hourly', 'weekly', 'monthly', 'quarterly', 'yearly']) : text;
}
