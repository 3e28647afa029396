import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRepeat, nextRepeat } from '#lib/alerting/deadlines/timed-decisions.ts';
import { type Given, MINUTE, NOW, situation } from './situation.ts';

/** Down for two and a half hours, reminded every hour. */
const DOWN: Given = { state: 'down', since: NOW - 150 * MINUTE, policy: { repeat_interval_seconds: 3600 } };
const next = { deadline: NOW + 30 * MINUTE };
const decide = (given: Given, policy: Given['policy'] = {}) =>
  decideRepeat(situation({ ...given, policy: { ...given.policy, ...policy } }));

describe('decideRepeat', () => {
  it('reminds channels of a check that is down, and again an interval later', () => {
    expect(decide(DOWN)).toMatchObject({ alert: { reports_state: 'down', cooldown: null }, next });
  });

  it('reminds within a cooldown too', () => {
    expect(decide({ ...DOWN, planned: NOW }, { cooldown_seconds: 600 })).toHaveProperty('alert');
  });

  it('ends when the check is down no more, or the policy wants no reminders', () => {
    expect(decide({ ...DOWN, state: 'up' })).toEqual({});
    expect(decide({ ...DOWN, state: 'unknown' })).toEqual({});
    expect(decide(DOWN, { repeat_interval_seconds: 0 })).toEqual({});
  });

  it('keeps its rhythm without a word while the policy is silenced or has no channels', () => {
    expect(decide(DOWN, { silenced: true })).toEqual({ next });
    expect(decide(DOWN, { channels: [] })).toEqual({ next });
  });
});

describe('nextRepeat', () => {
  it('is the first whole interval since the transition that lies ahead', () => {
    const instant = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(instant, fc.integer({ min: 1000, max: 1_000_000 }), instant, (since, interval, later) => {
        const now = since + later;
        const at = nextRepeat(since, interval, now);
        expect((at - since) % interval).toBe(0);
        expect(at).toBeGreaterThan(now);
        expect(at - interval).toBeLessThanOrEqual(now);
      }),
    );
  });
});
