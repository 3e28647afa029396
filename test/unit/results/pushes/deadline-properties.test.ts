import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OpenRun } from '#lib/checks/check-item.ts';
import { afterMissed, heartbeatDeadline, latestMissed } from '#lib/checks/heartbeat.ts';
import { nextDue, parseCalendar } from '#lib/schedule/calendar/calendar.ts';

describe('the heartbeat deadline after any history', () => {
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
  const pushCheck = fc.record({
    config,
    interval_seconds: fc.integer({ min: 1, max: 100_000 }),
    settings_at: instant,
    runs: fc.array(instant.map((started_at): OpenRun => ({ started_at, received_at: started_at }))),
  });
  const toCheck = ({
    config: { schedule, ...more },
    ...check
  }: typeof pushCheck extends fc.Arbitrary<infer T> ? T : never) => ({
    ...check,
    config: schedule === undefined ? more : { ...more, schedule, timezone: 'Europe/Berlin' },
  });

  it('is not moved earlier by a push', () => {
    fc.assert(
      fc.property(pushCheck, fc.option(instant), instant, instant, (given, before, pushed, outage) => {
        const check = toCheck(given);
        const last = before === null ? undefined : Math.min(before, pushed);
        const [old, next] = [last, pushed].map((last) =>
          heartbeatDeadline(check, { last, monitoredSince: outage }, NOW),
        );
        // Expectations of a check without any heartbeat differ.
        if (last === undefined && given.runs.length === 0) return;
        if (old && next) expect(next.at).toBeGreaterThanOrEqual(old.at);
        else expect(next).toBeUndefined();
      }),
    );
  });

  it('is moved earlier by a start only to the end of the maximum duration of that run', () => {
    fc.assert(
      fc.property(pushCheck, instant, instant, (given, last, started_at) => {
        const check = toCheck(given);
        const lastHeartbeat = { last, monitoredSince: 0 };
        const old = heartbeatDeadline(check, lastHeartbeat, NOW);
        const begun = { ...check, runs: [...check.runs, { started_at, received_at: started_at }] };
        const next = heartbeatDeadline(begun, lastHeartbeat, NOW)!;
        expect(next.misses).toBe('end of a run');
        if (old && next.at < old.at) expect(next).toMatchObject({ started_at });
      }),
    );
  });

  it('is later than each failure, and in the future if the failure was recorded late', () => {
    fc.assert(
      fc.property(pushCheck, instant, fc.nat(10_000_000), (given, last, late) => {
        const [check, lastHeartbeat] = [toCheck(given), { last, monitoredSince: 0 }];
        const due = heartbeatDeadline(check, lastHeartbeat, NOW)!;
        const now = due.at + late;
        const missed = latestMissed(check, due, now);
        expect(missed.at).toBeGreaterThanOrEqual(due.at);
        expect(missed.at).toBeLessThanOrEqual(now);
        const next = heartbeatDeadline({ ...check, ...afterMissed(check, missed) }, lastHeartbeat, now)!;
        expect(next.at).toBeGreaterThan(missed.at);
        if (missed.misses === 'due time' || missed.misses === 'any heartbeat') expect(next.at).toBeGreaterThan(now);
      }),
    );
  });

  it('passes once per due time for a check without heartbeats', () => {
    const some = fc.constantFrom(...schedules.flatMap((schedule) => schedule ?? []));
    fc.assert(
      fc.property(some, instant, fc.integer({ min: 1, max: 200_000 }), (schedule, last, grace_seconds) => {
        const config = { schedule, timezone: 'Europe/Berlin', grace_seconds };
        const check = { config, interval_seconds: 60, settings_at: 0 };
        let missed = heartbeatDeadline(check, { last, monitoredSince: 0 }, NOW);
        for (let n = 0; n < 4; n++) {
          if (missed?.misses !== 'due time') throw new Error(`it misses ${missed?.misses}`);
          const following = nextDue(parseCalendar(schedule, 'Europe/Berlin'), missed.due);
          missed = heartbeatDeadline({ ...check, missed_at: missed.at }, { last, monitoredSince: 0 }, missed.at);
          expect(missed).toMatchObject({ due: following });
        }
      }),
    );
  });
});
