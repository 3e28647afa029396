import { describe, expect, it } from 'vitest';
import { afterMissed, downAt, heartbeatDeadline, latestMissed, missedMessage } from '#lib/checks/heartbeat.ts';
import { at, checkOf, deadlineOf, lastHeartbeatOf, NIGHTLY, type Story } from '#test/unit/results/pushes/story.ts';

describe('heartbeatDeadline without a schedule', () => {
  const FIVE = { grace_seconds: 300 };
  it.each<[string, Story, string]>([
    ['is the grace time after the newest push', { pushed: '00:40' }, '00:45'],
    ['is an interval after the previous failure', { pushed: '00:40', failed: '00:45' }, '00:55'],
    ['counts from a push after a missed heartbeat', { pushed: '00:40', failed: '00:38' }, '00:45'],
    ['counts from a later settings change', { pushed: '00:40', settings: '00:42' }, '00:47'],
    ['counts from the end of the last outage', { pushed: '00:40', monitored_since: '00:50' }, '00:55'],
    [
      'counts from the end of an outage after a failure',
      { pushed: '00:40', failed: '00:48', monitored_since: '00:50' },
      '00:55',
    ],
  ])('follows the rule: %s', (_rule, story, due) => {
    expect(deadlineOf({ config: FIVE, ...story })?.at).toBe(at(due));
  });

  it('is undefined before the first push', () => {
    expect(deadlineOf({})).toBeUndefined();
    expect(deadlineOf({ config: { expect_first_within_seconds: 0 } })).toBeUndefined();
  });

  it('uses a grace time of twice the interval by default', () => {
    expect(deadlineOf({ pushed: '00:40' })?.at).toBe(at('01:00'));
  });
});

describe('heartbeatDeadline with a schedule', () => {
  it.each<[string, Story, string, string]>([
    ['is the grace time after the first due time since the newest heartbeat', { pushed: '02:00' }, '02:30', '03:30'],
    [
      'has a grace time of an hour by default, else that of the check',
      { pushed: '02:00', config: { ...NIGHTLY, grace_seconds: 600 } },
      '02:30',
      '02:40',
    ],
    ['waits for the next due time after a heartbeat in the grace time', { pushed: '03:10' }, '+02:30', '+03:30'],
    ['waits for the next due time after a heartbeat at the due time', { pushed: '02:30' }, '+02:30', '+03:30'],
    ['accepts a heartbeat ten seconds early', { pushed: '02:29:50' }, '+02:30', '+03:30'],
    ['does not accept a heartbeat two minutes early', { pushed: '02:28' }, '02:30', '03:30'],
    ['counts from a settings change', { pushed: '01:00', settings: '02:45' }, '+02:30', '+03:30'],
    ['counts from the end of the last outage', { pushed: '01:00', monitored_since: '02:35' }, '+02:30', '+03:30'],
    ['is that of the next due time after a failure', { pushed: '01:00', failed: '03:30' }, '+02:30', '+03:30'],
  ])('follows the rule: %s', (_rule, story, due, deadline) => {
    const found = deadlineOf({ config: NIGHTLY, ...story });
    expect(found).toEqual({ misses: 'due time', due: at(due), at: at(deadline) });
  });

  it('counts a heartbeat as early up to half of the distance to the next due time', () => {
    const each = { schedule: '* * * * *' };
    expect(deadlineOf({ config: each, pushed: '01:00:29' })).toMatchObject({ due: at('01:01') });
    expect(deadlineOf({ config: each, pushed: '01:00:30' })).toMatchObject({ due: at('01:02') });
  });

  it('is undefined without a further due time', () => {
    const once = { schedule: '2026-11-22 02:30', timezone: 'Europe/Berlin' };
    expect(deadlineOf({ config: once, pushed: '01:00' })?.at).toBe(at('03:30'));
    expect(deadlineOf({ config: once, pushed: '02:40' })).toBeUndefined();
    expect(deadlineOf({ config: once, pushed: '02:29:30' })).toBeUndefined();
    expect(deadlineOf({ config: once, pushed: '01:00', failed: '03:30' })).toBeUndefined();
  });
});

describe('heartbeatDeadline before the first heartbeat', () => {
  const config = { ...NIGHTLY, expect_first_within_seconds: 7200 };
  it('counts from creation, and from the end of the last outage', () => {
    expect(deadlineOf({ config })).toEqual({ misses: 'first heartbeat', at: at('02:00') });
    expect(deadlineOf({ config, monitored_since: '01:00' })).toEqual({ misses: 'first heartbeat', at: at('03:00') });
  });

  it('is followed by the deadline of each due time', () => {
    expect(deadlineOf({ config, failed: '02:00' })).toEqual({ misses: 'due time', due: at('02:30'), at: at('03:30') });
  });

  it('no longer applies after the start of a job run', () => {
    expect(deadlineOf({ config, runs: [{ started_at: at('01:00'), overrun: true }] })?.misses).toBe('due time');
  });
});

describe('heartbeatDeadline during an open job run', () => {
  const config = { ...NIGHTLY, max_run_seconds: 1800 };
  it('is that of the earliest run, even if due times pass meanwhile', () => {
    expect(deadlineOf({ config, runs: ['02:30:10', '02:31'] })).toEqual({
      misses: 'end of a run',
      started_at: at('02:30:10'),
      at: at('03:00:10'),
    });
    const days = { ...NIGHTLY, max_run_seconds: 2_592_000 };
    expect(deadlineOf({ config: days, runs: ['02:31'] })?.at).toBe(at('02:31') + 2_592_000_000);
  });

  it('gives a run the grace time by default', () => {
    expect(deadlineOf({ config: NIGHTLY, runs: ['02:30:10'] })?.at).toBe(at('03:30:10'));
    expect(deadlineOf({ config: { grace_seconds: 60 }, runs: ['02:30:10'] })?.at).toBe(at('02:31:10'));
  });

  it('is that of the next due time after an overrun, not of the one at which the run started', () => {
    for (const started of ['02:29:58', '02:30:04']) {
      const story = { config: NIGHTLY, runs: [started] };
      const overrun = deadlineOf(story)!;
      const left = { ...checkOf(story), ...afterMissed(checkOf(story), overrun) };
      expect(left.runs).toEqual([expect.objectContaining({ overrun: true })]);
      expect(heartbeatDeadline(left, lastHeartbeatOf(story), overrun.at)).toMatchObject({ due: at('+02:30') });
    }
  });

  it('is the time of a settings change that makes runs too long, with one failure for all of them', () => {
    const story = {
      config: { ...NIGHTLY, max_run_seconds: 60 },
      runs: ['02:30', '02:40', '02:54:30'],
      settings: '02:55',
    };
    const overrun = deadlineOf(story)!;
    expect(overrun).toMatchObject({ misses: 'end of a run', started_at: at('02:30'), at: at('02:55') });
    const left = { ...checkOf(story), ...afterMissed(checkOf(story), overrun) };
    expect(left.runs?.map((run) => run.overrun)).toEqual([true, true, undefined]);
    expect(heartbeatDeadline(left, lastHeartbeatOf(story), overrun.at)).toMatchObject({ at: at('02:55:30') });
  });

  it('ignores a run that was open during an outage', () => {
    const story = { config, runs: ['02:30:10'], monitored_since: '02:45' };
    expect(deadlineOf(story)).toMatchObject({ misses: 'due time', due: at('+02:30') });
  });
});

it('heartbeatDeadline returns each missed due time, and latestMissed the newest one at a late evaluation', () => {
  const story = { config: { schedule: '0 * * * *', grace_seconds: 600 }, pushed: '01:00' };
  const [check, lastHeartbeat] = [checkOf(story), lastHeartbeatOf(story)];
  const first = heartbeatDeadline(check, lastHeartbeat, at('02:10'))!;
  expect(first.at).toBe(at('02:10'));
  expect(latestMissed(check, first, at('02:10')).at).toBe(at('02:10'));
  expect(latestMissed(check, first, at('05:09')).at).toBe(at('04:10'));
  const second = heartbeatDeadline({ ...check, missed_at: first.at }, lastHeartbeat, at('02:10'));
  expect(second).toEqual({ misses: 'due time', due: at('03:00'), at: at('03:10') });
});

describe('downAt', () => {
  const down = (story: Story, more: object) =>
    downAt(
      { ...checkOf(story), state: 'up', consecutive_failures: 0, failure_threshold: 1, ...more },
      lastHeartbeatOf(story),
      at('01:10'),
    );

  it('returns the deadline that reaches the threshold', () => {
    const story = { config: NIGHTLY, pushed: '01:00' };
    expect(down(story, {})).toBe(at('03:30'));
    expect(down(story, { failure_threshold: 2 })).toBe(at('+03:30'));
    expect(down(story, { failure_threshold: 3, consecutive_failures: 1 })).toBe(at('+03:30'));
    expect(down({ pushed: '01:00' }, { failure_threshold: 3 })).toBe(at('01:40'));
    expect(down({ config: NIGHTLY, runs: ['01:05'] }, { failure_threshold: 2 })).toBe(at('03:30'));
  });

  it('returns undefined if the check is down or nothing is expected', () => {
    expect(down({ config: NIGHTLY, pushed: '01:00' }, { state: 'down' })).toBeUndefined();
    expect(down({ config: NIGHTLY }, {})).toBeUndefined();
  });
});

describe('missedMessage', () => {
  const said = (story: Story, now: number, more: object = {}) => {
    const [check, lastHeartbeat] = [{ ...checkOf(story), ...more }, lastHeartbeatOf(story)];
    return missedMessage(check, heartbeatDeadline(check, lastHeartbeat, now)!, lastHeartbeat.last, now);
  };
  it.each<[Story, string]>([
    [
      { config: NIGHTLY, pushed: '01:31' },
      'no heartbeat for the run due 2026-11-22 02:30 Europe/Berlin (grace 3600 s); last 2026-11-22 01:31',
    ],
    [
      { config: { schedule: '02:30:15', grace_seconds: 60 }, pushed: '01:31' },
      'no heartbeat for the run due 2026-11-22 02:30:15 UTC (grace 60 s); last 2026-11-22 00:31',
    ],
    [{ config: NIGHTLY, runs: ['02:30:04'] }, 'started 2026-11-22 02:30:04 but not finished within 3600 s'],
    [{ config: { expect_first_within_seconds: 90_000 } }, 'no heartbeat within 90000 s of its creation'],
    [
      { config: { ...NIGHTLY, expect_first_within_seconds: 7200 }, failed: '02:00' },
      'no heartbeat for the run due 2026-11-22 02:30 Europe/Berlin (grace 3600 s); none so far',
    ],
  ])('describes %j: %s', (story, message) => {
    expect(said(story, at('+12:00'))).toBe(message);
  });

  it('describes a check without a schedule, and one after a settings change', () => {
    expect(said({ config: { grace_seconds: 120 }, pushed: '01:00' }, at('01:02:03'))).toBe(
      'no result for 123 s (grace 120 s)',
    );
    expect(said({ config: { expect_first_within_seconds: 60 } }, at('+12:00'), { rev: 2 })).toBe(
      'no heartbeat within 60 s of its last settings change',
    );
  });
});
