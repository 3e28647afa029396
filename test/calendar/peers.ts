import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nextDue, parseCalendar } from '#lib/schedule/calendar/calendar.ts';
import { isCronDue, isOnCalendarDue, wallOf } from '#test/oracle/due-at.ts';
import { makeRandom } from '#test/support/random.ts';
import { randomCron, randomInstant, randomOnCalendar, ZONES } from './random-schedules.ts';

const ROOT = join(import.meta.dirname, '../..');
const DAY_MS = 86_400_000;
const FIVE_YEARS_MS = 5 * 366 * DAY_MS;

export type Kind = 'cron' | 'OnCalendar';
/** Query for the first due time of a schedule after `at` (epoch ms). */
export type Case = { kind: Kind; text: string; zone: string; at: number };
/** Number of cases, of equal results (`same`), and of differences by known reason; and the unexplained differences. */
export type Comparison = { cases: number; same: number; known: Map<string, number>; strange: string[] };

/**
 * Returns the interpreter of a virtual environment with the calendar libraries of Healthchecks, cronsim and oncalendar;
 * undefined if it is missing. To create it: python3 -m venv .cache/calendar-python && .cache/calendar-python/bin/pip
 * install -r test/calendar/requirements.txt
 */
export function findCalendars(): string | undefined {
  const python = join(ROOT, '.cache/calendar-python/bin/python');
  if (existsSync(python)) return python;
  if (process.env.CI) throw new Error(`${python} is missing; run .ci/peers to create it.`);
  return undefined;
}

/** Draws random schedules and times; the same seed draws the same ones. */
export function drawCases(kind: Kind, count: number, seed: number): Case[] {
  const random = makeRandom(seed);
  const draw = kind === 'cron' ? randomCron : randomOnCalendar;
  return Array.from({ length: count }, () => {
    const zone = random.pick(ZONES);
    return { kind, text: draw(random), zone, at: randomInstant(random, zone) };
  });
}

/** Compares the service with cronsim and oncalendar. @param python see findCalendars */
export async function compareWithPeers(python: string, cases: readonly Case[]): Promise<Comparison> {
  const reference = await dueTimesOf(python, cases);
  const comparison: Comparison = { cases: cases.length, same: 0, known: new Map(), strange: [] };
  for (const [i, one] of cases.entries()) {
    const own = dueByService(one);
    const other = within(one, reference[i]!);
    const reason = own === other ? undefined : reasonOf(one, own, other);
    if (own === other) comparison.same++;
    else if (reason) comparison.known.set(reason, (comparison.known.get(reason) ?? 0) + 1);
    else comparison.strange.push(`${one.text} in ${one.zone} after ${show(one.at)}: ${show(own)}, not ${show(other)}`);
  }
  return comparison;
}

type DueTime = number | string | null;

function dueByService({ text, zone, at }: Case): DueTime {
  try {
    return nextDue(parseCalendar(text, zone), at) ?? null;
  } catch (error) {
    return String(error);
  }
}

/** Returns a due time of the reference, or null if it is more than five years ahead, as the service does. */
const within = ({ at }: Case, due: DueTime): DueTime =>
  typeof due === 'number' && due > at + FIVE_YEARS_MS ? null : due;

const show = (due: DueTime): string => (typeof due === 'number' ? new Date(due).toISOString() : String(due));

/** Returns the known reason of a difference: a mistake of the reference that `due-at.ts` confirms. */
function reasonOf({ kind, text, zone, at }: Case, own: DueTime, other: DueTime): string | undefined {
  const isDue = kind === 'cron' ? isCronDue : isOnCalendarDue;
  if (own !== null && (typeof own !== 'number' || !isDue(text, zone, own))) return undefined;
  if (other === 'CronSimError: Bad day-of-month') return 'the reference rejects a day that does not exist in any month';
  if (typeof other !== 'number') return undefined;
  if (/(?<!\d)0*(\d+)(-|\.\.)0*\1\//.test(text))
    return 'the reference treats a range of one number with a step as open-ended';
  if (other <= at) return 'the reference returns a time that is not after the given one, which is in a repeated hour';
  if (own !== null && other < own && !isDue(text, zone, other))
    return 'the reference returns a time at which the local time does not match the schedule';
  const goesByRealTime = kind === 'cron' && text.split(' ', 2).some((field) => field.startsWith('*'));
  if (own === null || !goesByRealTime) return undefined;
  if (zone === 'Australia/Lord_Howe') return 'the reference steps by whole hours, past a change of half an hour';
  if (hasNoMidnight(zone, own)) return 'the reference skips the first hour of a day without midnight';
  return undefined;
}

/** Whether the time zone skips the midnight at the start of the day of `at`. */
function hasNoMidnight(zone: string, at: number): boolean {
  const midnight = Math.floor(wallOf(zone, at) / DAY_MS) * DAY_MS;
  const halfHour = DAY_MS / 48;
  for (let t = Math.floor(at / halfHour) * halfHour; t > at - 1.2 * DAY_MS; t -= halfHour)
    if (wallOf(zone, t) === midnight) return false;
  return true;
}

function dueTimesOf(python: string, cases: readonly Case[]): Promise<DueTime[]> {
  const script = join(import.meta.dirname, 'oracle.py');
  // Time zones come from the package tzdata, because those of the operating system can be outdated.
  const env = { PATH: process.env.PATH, PYTHONTZPATH: '' };
  return new Promise((resolve, reject) => {
    const child = execFile(python, [script], { env, maxBuffer: 2 ** 27 }, (error, stdout, stderr) =>
      error
        ? reject(new Error(`${error.message}\n${stderr}`))
        : resolve(
            stdout
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line) as DueTime),
          ),
    );
    child.stdin!.end(cases.map((one) => JSON.stringify(one)).join('\n'));
  });
}
