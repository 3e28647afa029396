import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueTimes, nextDue, parseCalendar } from '#lib/schedule/calendar/calendar.ts';
import { randomCron, randomInstant, randomOnCalendar, ZONES } from '#test/calendar/random-schedules.ts';
import { isCronDue, isOnCalendarDue } from '#test/oracle/due-at.ts';
import { makeRandom, type Random } from '#test/support/random.ts';

const MINUTE_MS = 60_000;
/** Time range (ms) after the given time in which each minute is tested. */
const TESTED_MS = 30 * 60 * MINUTE_MS;
const seeds = fc.integer({ min: 0, max: 2 ** 31 });

const KINDS: [string, (random: Random) => string, (text: string, zone: string, at: number) => boolean][] = [
  ['cron', randomCron, isCronDue],
  ['OnCalendar', randomOnCalendar, isOnCalendarDue],
];

describe.each(KINDS)('the next due time of %s', (_kind, randomSchedule, isDue) => {
  it('is the first due time in its zone after the given time', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = makeRandom(seed);
        const zone = random.pick(ZONES);
        const [text, after] = [randomSchedule(random), randomInstant(random, zone)];
        const due = nextDue(parseCalendar(text, zone), after);
        const description = `${text} in ${zone} after ${new Date(after).toISOString()}`;
        if (due !== undefined) {
          expect(due, description).toBeGreaterThan(after);
          expect(isDue(text, zone, due), `${description}: ${new Date(due).toISOString()}`).toBe(true);
        }
        const second = due === undefined ? 0 : due % MINUTE_MS;
        const end = Math.min(due ?? Number.POSITIVE_INFINITY, after + TESTED_MS);
        for (let at = Math.floor(after / MINUTE_MS) * MINUTE_MS + second; at < end; at += MINUTE_MS) {
          if (at > after && isDue(text, zone, at))
            throw new Error(`${description}: ${new Date(at).toISOString()} was passed over`);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('is the earliest of its lines, each in its own zone', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = makeRandom(seed);
        const [zone, other] = [random.pick(ZONES), random.pick(ZONES)];
        const lines = [`${randomOnCalendar(random)} ${other}`, randomOnCalendar(random)] as const;
        const after = randomInstant(random, zone);
        const all = nextDue(parseCalendar(lines.join('\n'), zone), after) ?? Number.POSITIVE_INFINITY;
        const each = lines.map((line) => nextDue(parseCalendar(line, zone), after) ?? Number.POSITIVE_INFINITY);
        expect(all).toBe(Math.min(...each));
      }),
    );
  });
});

it('yields each due time of several lines once, in order, up to a gap of five years', () => {
  const rare = fc.constantFrom('Mon *-*-31', '*-02-29', '2031-*-31', '2026-12-31', '*-02-30');
  const lines = fc.array(
    fc.oneof(
      rare,
      seeds.map((seed) => randomOnCalendar(makeRandom(seed))),
    ),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  fc.assert(
    fc.property(lines, seeds, (lines, seed) => {
      const random = makeRandom(seed);
      const zone = random.pick(ZONES);
      const calendar = parseCalendar(lines.join('\n'), zone);
      let after: number | undefined = randomInstant(random, zone);
      const found = dueTimes(calendar, after);
      for (let n = 0; n < 20 && after !== undefined; n++) {
        after = nextDue(calendar, after);
        expect(found.next().value).toBe(after);
      }
    }),
  );
});
