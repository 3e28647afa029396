import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OpenRun } from '#lib/checks/check-item.ts';
import { afterMissed, downAt, type Heard, latestMissed, silenceDeadline } from '#lib/health/silence/deadline.ts';
import { missedMessage } from '#lib/health/silence/message.ts';
import { nextDue, parseCalendar } from '#lib/schedule/calendar/calendar.ts';

/** Of a day on which clocks in Berlin are an hour ahead of UTC, epoch ms: `02:30`, and `+02:30` of the day after. */
function at(clock: string): number {
  const [, next, hour, minute, second = '0'] = /^(\+?)(\d\d):(\d\d)(?::(\d\d))?$/.exec(clock)!;
  return Date.UTC(2026, 10, next ? 23 : 22, Number(hour) - 1, Number(minute), Number(second));
}

type Story = {
  config?: Record<string, unknown>;
  settings?: string;
  failed?: string;
  pushed?: string | undefined;
  watched?: string;
  runs?: Partial<OpenRun>[] | string[];
};

const NIGHTLY = { schedule: '30 2 * * *', timezone: 'Europe/Berlin' };

const checkOf = ({ config = {}, settings = '00:00', failed, runs }: Story) => ({
  interval_seconds: 600,
  rev: 1,
  config,
  settings_at: at(settings),
  ...(failed && { silence_at: at(failed) }),
  ...(runs && {
    runs: runs.map((run): OpenRun => {
      if (typeof run !== 'string') return { started_at: 0, received_at: run.started_at ?? 0, ...run };
      return { started_at: at(run), received_at: at(run) };
    }),
  }),
});

const heardOf = ({ pushed, watched }: Story): Heard => ({
  last: pushed === undefined ? undefined : at(pushed),
  watchedSince: watched === undefined ? 0 : at(watched),
});

const deadlineOf = (story: Story, now = at('+12:00')) => silenceDeadline(checkOf(story), heardOf(story), now);

describe('the deadline of silence without a schedule', () => {
  const FIVE = { grace_seconds: 300 };
  it.each<[string, Story, string]>([
    ['comes a grace after the newest push', { pushed: '00:40' }, '00:45'],
    ['comes an interval after the failure before it', { pushed: '00:40', failed: '00:45' }, '00:55'],
    ['counts from a push that ended the silence before', { pushed: '00:40', failed: '00:38' }, '00:45'],
    ['counts from a later change of settings', { pushed: '00:40', settings: '00:42' }, '00:47'],
    ['counts from the end of our last outage', { pushed: '00:40', watched: '00:50' }, '00:55'],
    [
      'begins anew when we were out during the silence',
      { pushed: '00:40', failed: '00:48', watched: '00:50' },
      '00:55',
    ],
  ])('%s', (_rule, story, due) => {
    expect(deadlineOf({ config: FIVE, ...story })?.at).toBe(at(due));
  });

  it('is none before a first push', () => {
    expect(deadlineOf({})).toBeUndefined();
    expect(deadlineOf({ config: { expect_first_within_seconds: 0 } })).toBeUndefined();
  });

  it('has a grace of twice the interval unless the check says otherwise', () => {
    expect(deadlineOf({ pushed: '00:40' })?.at).toBe(at('01:00'));
  });
});

describe('the deadline of silence with a schedule', () => {
  it.each<[string, Story, string, string]>([
    ['is a grace after the first due time since the newest sign of life', { pushed: '02:00' }, '02:30', '03:30'],
    [
      'which is an hour by default, and what the check says else',
      { pushed: '02:00', config: { ...NIGHTLY, grace_seconds: 600 } },
      '02:30',
      '02:40',
    ],
    ['waits for the next due time after a sign of life in the grace', { pushed: '03:10' }, '+02:30', '+03:30'],
    ['and after one at the due time itself', { pushed: '02:30' }, '+02:30', '+03:30'],
    ['does not ask again for one that came ten seconds early', { pushed: '02:29:50' }, '+02:30', '+03:30'],
    ['but for one that came two minutes early', { pushed: '02:28' }, '02:30', '03:30'],
    ['counts from a change of settings', { pushed: '01:00', settings: '02:45' }, '+02:30', '+03:30'],
    ['counts from the end of our last outage', { pushed: '01:00', watched: '02:35' }, '+02:30', '+03:30'],
    ['is that of the next due time after a failure', { pushed: '01:00', failed: '03:30' }, '+02:30', '+03:30'],
  ])('%s', (_rule, story, due, deadline) => {
    const found = deadlineOf({ config: NIGHTLY, ...story });
    expect(found).toEqual({ misses: 'due time', due: at(due), at: at(deadline) });
  });

  it('takes a sign of life for an early one at most half the way to the due time after', () => {
    const each = { schedule: '* * * * *' };
    expect(deadlineOf({ config: each, pushed: '01:00:29' })).toMatchObject({ due: at('01:01') });
    expect(deadlineOf({ config: each, pushed: '01:00:30' })).toMatchObject({ due: at('01:02') });
  });

  it('is none when nothing is due any more', () => {
    const once = { schedule: '2026-11-22 02:30', timezone: 'Europe/Berlin' };
    expect(deadlineOf({ config: once, pushed: '01:00' })?.at).toBe(at('03:30'));
    expect(deadlineOf({ config: once, pushed: '02:40' })).toBeUndefined();
    expect(deadlineOf({ config: once, pushed: '02:29:30' })).toBeUndefined();
    expect(deadlineOf({ config: once, pushed: '01:00', failed: '03:30' })).toBeUndefined();
  });
});

describe('the deadline of a first sign of life', () => {
  const config = { ...NIGHTLY, expect_first_within_seconds: 7200 };
  it('counts from creation, and from the end of our last outage', () => {
    expect(deadlineOf({ config })).toEqual({ misses: 'first sign', at: at('02:00') });
    expect(deadlineOf({ config, watched: '01:00' })).toEqual({ misses: 'first sign', at: at('03:00') });
  });

  it('is followed by each due time that is missed', () => {
    expect(deadlineOf({ config, failed: '02:00' })).toEqual({ misses: 'due time', due: at('02:30'), at: at('03:30') });
  });

  it('is no more after a start', () => {
    expect(deadlineOf({ config, runs: [{ started_at: at('01:00'), overrun: true }] })?.misses).toBe('due time');
  });
});

describe('the deadline while a run is open', () => {
  const config = { ...NIGHTLY, max_run_seconds: 1800 };
  it('is that of the earliest, however many due times pass', () => {
    expect(deadlineOf({ config, runs: ['02:30:10', '02:31'] })).toEqual({
      misses: 'end of a run',
      started_at: at('02:30:10'),
      at: at('03:00:10'),
    });
    const days = { ...NIGHTLY, max_run_seconds: 2_592_000 };
    expect(deadlineOf({ config: days, runs: ['02:31'] })?.at).toBe(at('02:31') + 2_592_000_000);
  });

  it('gives a run the grace by default', () => {
    expect(deadlineOf({ config: NIGHTLY, runs: ['02:30:10'] })?.at).toBe(at('03:30:10'));
    expect(deadlineOf({ config: { grace_seconds: 60 }, runs: ['02:30:10'] })?.at).toBe(at('02:31:10'));
  });

  it('is that of the next due time once the run has overrun, and not the one at which it started', () => {
    for (const started of ['02:29:58', '02:30:04']) {
      const story = { config: NIGHTLY, runs: [started] };
      const overrun = deadlineOf(story)!;
      const left = { ...checkOf(story), ...afterMissed(checkOf(story), overrun) };
      expect(left.runs).toEqual([expect.objectContaining({ overrun: true })]);
      expect(silenceDeadline(left, heardOf(story), overrun.at)).toMatchObject({ due: at('+02:30') });
    }
  });

  it('does not judge a run that was open while nobody listened', () => {
    const story = { config, runs: ['02:30:10'], watched: '02:45' };
    expect(deadlineOf(story)).toMatchObject({ misses: 'due time', due: at('+02:30') });
  });
});

it('is followed by one deadline for each due time that is missed, and judged late it stands for the newest', () => {
  const story = { config: { schedule: '0 * * * *', grace_seconds: 600 }, pushed: '01:00' };
  const [check, heard] = [checkOf(story), heardOf(story)];
  const first = silenceDeadline(check, heard, at('02:10'))!;
  expect(first.at).toBe(at('02:10'));
  expect(latestMissed(check, first, at('02:10')).at).toBe(at('02:10'));
  expect(latestMissed(check, first, at('05:09')).at).toBe(at('04:10'));
  const second = silenceDeadline({ ...check, silence_at: first.at }, heard, at('02:10'));
  expect(second).toEqual({ misses: 'due time', due: at('03:00'), at: at('03:10') });
});

describe('a check goes down if nothing comes', () => {
  const down = (story: Story, more: object) =>
    downAt(
      { ...checkOf(story), state: 'up', consecutive_failures: 0, failure_threshold: 1, ...more },
      heardOf(story),
      at('01:10'),
    );

  it('at the deadline that reaches its threshold', () => {
    const story = { config: NIGHTLY, pushed: '01:00' };
    expect(down(story, {})).toBe(at('03:30'));
    expect(down(story, { failure_threshold: 2 })).toBe(at('+03:30'));
    expect(down(story, { failure_threshold: 3, consecutive_failures: 1 })).toBe(at('+03:30'));
    expect(down({ pushed: '01:00' }, { failure_threshold: 3 })).toBe(at('01:40'));
    expect(down({ config: NIGHTLY, runs: ['01:05'] }, { failure_threshold: 2 })).toBe(at('03:30'));
  });

  it('never when it is down already, or nothing is expected', () => {
    expect(down({ config: NIGHTLY, pushed: '01:00' }, { state: 'down' })).toBeUndefined();
    expect(down({ config: NIGHTLY }, {})).toBeUndefined();
  });
});

describe('what a failure says', () => {
  const said = (story: Story, now: number, more: object = {}) => {
    const [check, heard] = [{ ...checkOf(story), ...more }, heardOf(story)];
    return missedMessage(check, silenceDeadline(check, heard, now)!, heard.last, now);
  };
  it.each<[Story, string]>([
    [
      { config: NIGHTLY, pushed: '01:31' },
      'no sign of life for the run due 2026-11-22 02:30 Europe/Berlin (grace 3600 s); last 2026-11-22 01:31',
    ],
    [
      { config: { schedule: '02:30:15', grace_seconds: 60 }, pushed: '01:31' },
      'no sign of life for the run due 2026-11-22 02:30:15 UTC (grace 60 s); last 2026-11-22 00:31',
    ],
    [{ config: NIGHTLY, runs: ['02:30:04'] }, 'started 2026-11-22 02:30:04 and not finished within 3600 s'],
    [{ config: { expect_first_within_seconds: 90_000 } }, 'nothing came within 90000 s of its creation'],
    [
      { config: { ...NIGHTLY, expect_first_within_seconds: 7200 }, failed: '02:00' },
      'no sign of life for the run due 2026-11-22 02:30 Europe/Berlin (grace 3600 s); none has come yet',
    ],
  ])('of %j: %s', (story, message) => {
    expect(said(story, at('+12:00'))).toBe(message);
  });

  it('without a schedule as before, and after a change of settings of that', () => {
    expect(said({ config: { grace_seconds: 120 }, pushed: '01:00' }, at('01:02:03'))).toBe(
      'no result for 123 s (grace 120 s)',
    );
    expect(said({ config: { expect_first_within_seconds: 60 } }, at('+12:00'), { rev: 2 })).toBe(
      'nothing came within 60 s of its last change of settings',
    );
  });
});

describe('whatever happened before', () => {
  const schedules = [
    '30 2 * * *',
    '*/5 * * * *',
    '0,30 1-3 * * *',
    '@weekly',
    'Mon..Fri 02:30\n12:00 Asia/Tokyo',
    undefined,
  ];
  const config = fc.record(
    {
      schedule: fc.constantFrom(...schedules),
      grace_seconds: fc.integer({ min: 1, max: 100_000 }),
      max_run_seconds: fc.integer({ min: 1, max: 100_000 }),
      expect_first_within_seconds: fc.integer({ min: 0, max: 100_000 }),
    },
    { requiredKeys: ['schedule'] },
  );
  // Around the night in which clocks in Berlin are set back.
  const instant = fc.integer({ min: Date.UTC(2026, 9, 24), max: Date.UTC(2026, 9, 27) });
  const NOW = Date.UTC(2026, 9, 28);
  const watched = fc.record({
    config,
    interval_seconds: fc.integer({ min: 1, max: 100_000 }),
    settings_at: instant,
    runs: fc.array(instant.map((started_at): OpenRun => ({ started_at, received_at: started_at }))),
  });
  const clean = ({
    config: { schedule, ...more },
    ...check
  }: typeof watched extends fc.Arbitrary<infer T> ? T : never) => ({
    ...check,
    config: schedule === undefined ? more : { ...more, schedule, timezone: 'Europe/Berlin' },
  });

  it('a push never makes the deadline earlier', () => {
    fc.assert(
      fc.property(watched, fc.option(instant), instant, instant, (given, before, pushed, outage) => {
        const check = clean(given);
        const last = before === null ? undefined : Math.min(before, pushed);
        const [old, next] = [last, pushed].map((last) => silenceDeadline(check, { last, watchedSince: outage }, NOW));
        // What is expected of a check of which nothing ever came is another thing.
        if (last === undefined && given.runs.length === 0) return;
        if (old && next) expect(next.at).toBeGreaterThanOrEqual(old.at);
        else expect(next).toBeUndefined();
      }),
    );
  });

  it('a start does, and only to the end of the time that its run may take', () => {
    fc.assert(
      fc.property(watched, instant, instant, (given, last, started_at) => {
        const check = clean(given);
        const heard = { last, watchedSince: 0 };
        const old = silenceDeadline(check, heard, NOW);
        const begun = { ...check, runs: [...check.runs, { started_at, received_at: started_at }] };
        const next = silenceDeadline(begun, heard, NOW)!;
        expect(next.misses).toBe('end of a run');
        if (old && next.at < old.at) expect(next).toMatchObject({ started_at });
      }),
    );
  });

  it('each failure is followed by a later one, and one judged late by one that is still to come', () => {
    fc.assert(
      fc.property(watched, instant, fc.nat(10_000_000), (given, last, late) => {
        const [check, heard] = [clean(given), { last, watchedSince: 0 }];
        const due = silenceDeadline(check, heard, NOW)!;
        const now = due.at + late;
        const missed = latestMissed(check, due, now);
        expect(missed.at).toBeGreaterThanOrEqual(due.at);
        expect(missed.at).toBeLessThanOrEqual(now);
        const next = silenceDeadline({ ...check, ...afterMissed(check, missed) }, heard, now)!;
        expect(next.at).toBeGreaterThan(missed.at);
        if (missed.misses === 'due time' || missed.misses === 'any sign') expect(next.at).toBeGreaterThan(now);
      }),
    );
  });

  it('a silent check fails once for each due time', () => {
    const some = fc.constantFrom(...schedules.flatMap((schedule) => schedule ?? []));
    fc.assert(
      fc.property(some, instant, fc.integer({ min: 1, max: 200_000 }), (schedule, last, grace_seconds) => {
        const config = { schedule, timezone: 'Europe/Berlin', grace_seconds };
        const check = { config, interval_seconds: 60, settings_at: 0 };
        let missed = silenceDeadline(check, { last, watchedSince: 0 }, NOW);
        for (let n = 0; n < 4; n++) {
          if (missed?.misses !== 'due time') throw new Error(`it misses ${missed?.misses}`);
          const following = nextDue(parseCalendar(schedule, 'Europe/Berlin'), missed.due);
          missed = silenceDeadline({ ...check, silence_at: missed.at }, { last, watchedSince: 0 }, missed.at);
          expect(missed).toMatchObject({ due: following });
        }
      }),
    );
  });
});
