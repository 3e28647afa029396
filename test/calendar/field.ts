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
/** What a schedule is asked: when it is due next after an instant (epoch ms). */
export type Case = { kind: Kind; text: string; zone: string; at: number };
/** How many cases agree, how many differ for each reason that is known, and what differs for none. */
export type Comparison = { cases: number; same: number; known: Map<string, number>; strange: string[] };

/**
 * The interpreter of a virtual environment that holds the calendars of Healthchecks, cronsim and oncalendar; undefined
 * where there is none. To make one: python3 -m venv .cache/calendar-python && .cache/calendar-python/bin/pip install -r
 * test/calendar/requirements.txt
 */
export function findCalendars(): string | undefined {
  const python = join(ROOT, '.cache/calendar-python/bin/python');
  if (existsSync(python)) return python;
  if (process.env.CI) throw new Error(`${python} is missing; .ci/peers makes it.`);
  return undefined;
}

/** Random schedules and instants; the same seed draws the same ones. */
export function drawCases(kind: Kind, count: number, seed: number): Case[] {
  const random = makeRandom(seed);
  const draw = kind === 'cron' ? randomCron : randomOnCalendar;
  return Array.from({ length: count }, () => {
    const zone = random.pick(ZONES);
    return { kind, text: draw(random), zone, at: randomInstant(random, zone) };
  });
}

/** What we answer beside what cronsim and oncalendar answer. @param python see findCalendars */
export async function compareWithField(python: string, cases: readonly Case[]): Promise<Comparison> {
  const theirs = await answersOf(python, cases);
  const comparison: Comparison = { cases: cases.length, same: 0, known: new Map(), strange: [] };
  for (const [i, one] of cases.entries()) {
    const own = ours(one);
    const other = within(one, theirs[i]!);
    const reason = own === other ? undefined : reasonOf(one, own, other);
    if (own === other) comparison.same++;
    else if (reason) comparison.known.set(reason, (comparison.known.get(reason) ?? 0) + 1);
    else comparison.strange.push(`${one.text} in ${one.zone} after ${show(one.at)}: ${show(own)}, not ${show(other)}`);
  }
  return comparison;
}

type Answer = number | string | null;

function ours({ text, zone, at }: Case): Answer {
  try {
    return nextDue(parseCalendar(text, zone), at) ?? null;
  } catch (error) {
    return String(error);
  }
}

/** We look five years ahead, they farther. */
const within = ({ at }: Case, answer: Answer): Answer =>
  typeof answer === 'number' && answer > at + FIVE_YEARS_MS ? null : answer;

const show = (answer: Answer): string => (typeof answer === 'number' ? new Date(answer).toISOString() : String(answer));

/** Why we differ, where that is known: each reason is a mistake of theirs that `due-at.ts` confirms. */
function reasonOf({ kind, text, zone, at }: Case, own: Answer, other: Answer): string | undefined {
  const isDue = kind === 'cron' ? isCronDue : isOnCalendarDue;
  if (own !== null && (typeof own !== 'number' || !isDue(text, zone, own))) return undefined;
  if (other === 'CronSimError: Bad day-of-month') return 'they refuse a day that none of the months has';
  if (typeof other !== 'number') return undefined;
  if (/(?<!\d)0*(\d+)(-|\.\.)0*\1\//.test(text))
    return 'they take a range of one number with a step as one without an end';
  if (other <= at) return 'they answer a time that is not after the one asked for, which lies in a repeated hour';
  if (own !== null && other < own && !isDue(text, zone, other))
    return 'they answer a time at which the clocks of the zone do not fit the schedule';
  const goesByRealTime = kind === 'cron' && text.split(' ', 2).some((field) => field.startsWith('*'));
  if (own === null || !goesByRealTime) return undefined;
  if (zone === 'Australia/Lord_Howe') return 'they step by whole hours, past a change of half an hour';
  if (hasNoMidnight(zone, own)) return 'they pass over the first hour of a day whose midnight clocks skip';
  return undefined;
}

/** Whether clocks of a zone skip the midnight with which the day of an instant would begin. */
function hasNoMidnight(zone: string, at: number): boolean {
  const midnight = Math.floor(wallOf(zone, at) / DAY_MS) * DAY_MS;
  const halfHour = DAY_MS / 48;
  for (let t = Math.floor(at / halfHour) * halfHour; t > at - 1.2 * DAY_MS; t -= halfHour)
    if (wallOf(zone, t) === midnight) return false;
  return true;
}

function answersOf(python: string, cases: readonly Case[]): Promise<Answer[]> {
  const script = join(import.meta.dirname, 'oracle.py');
  // Its zones are those of the package tzdata, as what an operating system has may be old.
  const env = { PATH: process.env.PATH, PYTHONTZPATH: '' };
  return new Promise((resolve, reject) => {
    const child = execFile(python, [script], { env, maxBuffer: 2 ** 27 }, (error, stdout, stderr) =>
      error
        ? reject(new Error(`${error.message}\n${stderr}`))
        : resolve(
            stdout
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line) as Answer),
          ),
    );
    child.stdin!.end(cases.map((one) => JSON.stringify(one)).join('\n'));
  });
}
