import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideReminder, nextReminderAt } from '#lib/alerting/deadlines/timed-decisions.ts';
import { dueAlert, type Given, MINUTE, NOW } from './due-alert-deadline.ts';

/** Down for two and a half hours, with a reminder every hour. */
const DOWN: Given = { state: 'down', since: NOW - 150 * MINUTE, policy: { repeat_interval_seconds: 3600 } };
const next = { deadline: NOW + 30 * MINUTE };
const decide = (given: Given, policy: Given['policy'] = {}) =>
  decideReminder(dueAlert({ ...given, policy: { ...given.policy, ...policy } }));

describe('decideReminder', () => {
  it('sends a reminder while the check is down, and schedules the next one', () => {
    expect(decide(DOWN)).toMatchObject({ alert: { reports_state: 'down', cooldown: null }, next });
  });

  it('ignores the cooldown', () => {
    expect(decide({ ...DOWN, planned: NOW }, { cooldown_seconds: 600 })).toHaveProperty('alert');
  });

  it('stops when the check recovers or reminders are disabled', () => {
    expect(decide({ ...DOWN, state: 'up' })).toEqual({});
    expect(decide({ ...DOWN, state: 'unknown' })).toEqual({});
    expect(decide(DOWN, { repeat_interval_seconds: 0 })).toEqual({});
  });

  it('keeps the interval while silenced or without channels', () => {
    expect(decide(DOWN, { silenced: true })).toEqual({ next });
    expect(decide(DOWN, { channels: [] })).toEqual({ next });
  });
});

describe('nextReminderAt', () => {
  it('returns the first future multiple of the interval since the transition', () => {
    const instant = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(instant, fc.integer({ min: 1000, max: 1_000_000 }), instant, (since, interval, later) => {
        const now = since + later;
        const at = nextReminderAt(since, interval, now);
        expect((at - since) % interval).toBe(0);
        expect(at).toBeGreaterThan(now);
        expect(at - interval).toBeLessThanOrEqual(now);
      }),
    );
  });
});
