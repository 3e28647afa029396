import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExplainInput, explainMoment } from '#lib/alerting/explain/explain-moment.ts';
import { Explanation } from '#lib/alerting/explain/explanation.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { RevisionItem } from '#lib/checks/settings/revisions.ts';
import { dueAlert } from '#test/unit/alerting/deadlines/due-alert-deadline.ts';

const AT = Date.parse('2026-11-21T10:04:00.000Z');
const SECOND = 1000;
const { check: push } = dueAlert({ state: 'up' });
const pull: CheckItem = { ...push, check_type: 'http', execution_mode: 'pull', failure_threshold: 3 };
const revision: RevisionItem = {
  pk: 'p',
  sk: 's',
  rev: 1,
  from: AT - 3_600_000,
  enabled: true,
  rhythm: { phase: 10 * SECOND, interval_ms: 60 * SECOND },
  failure_threshold: 3,
  recovery_threshold: 1,
};
const moment = (changes: Partial<ExplainInput> = {}): ExplainInput => ({
  at: AT,
  check: pull,
  revision,
  state: 'up',
  results: [],
  gap: undefined,
  heartbeat: undefined,
  enabled_at: undefined,
  kept_since: 0,
  ...changes,
});
const results = (...outcomes: ('ok' | 'warn' | 'fail')[]) =>
  outcomes.map((outcome, i) => ({ at: AT - 50 * SECOND - (outcomes.length - 1 - i) * 60 * SECOND, outcome }));

describe('explainMoment', () => {
  it('counts the failures, and names the time of the deciding one', () => {
    expect(explainMoment(moment({ results: results('ok', 'fail', 'fail') }))).toEqual({
      verdict: 'not_due',
      sentence: '2 of 3 failures in a row; the third would have been due at 2026-11-21 10:04:10 UTC.',
      next: { at: AT + 10 * SECOND, what: 'probe' },
    });
    expect(explainMoment(moment({ results: results('fail', 'ok', 'fail') })).sentence).toBe(
      '1 of 3 failures in a row; the third would have been due at 2026-11-21 10:05:10 UTC.',
    );
  });

  it('expects the next result at the retry of an unconfirmed check', () => {
    const check = { ...pull, id: 'chk_01234567890123456789abcd', retry_interval_seconds: 5 };
    const { next } = explainMoment(moment({ check, results: [{ at: AT - 2 * SECOND, outcome: 'fail' }] }));
    expect(next!.at - AT).toBeLessThanOrEqual(5 * SECOND);
  });

  it('counts warnings like failures', () => {
    expect(explainMoment(moment({ results: results('warn', 'warn') })).sentence).toMatch(/^2 of 3 warnings in a row; /);
  });

  it('explains a gap with its range and cause', () => {
    const gap = { from: AT - 180 * SECOND, to: AT + 300 * SECOND, slots: 8, cause: 'outage' as const };
    expect(explainMoment(moment({ gap }))).toEqual({
      verdict: 'not_probed',
      sentence: 'It was not checked: outage of the service, 2026-11-21 10:01:00 UTC to 2026-11-21 10:09:00 UTC.',
    });
    const late = { ...gap, cause: 'late' as const };
    expect(explainMoment(moment({ gap: late, enabled_at: AT + 250 * SECOND })).sentence).toMatch(
      /^It was not checked: the account was disabled, /,
    );
    expect(explainMoment(moment({ gap: late })).sentence).toMatch(/delay of the service/);
  });

  it('explains a check that was disabled or not created yet', () => {
    const disabled = { ...revision, enabled: false };
    expect(explainMoment(moment({ revision: disabled, state: 'unknown' }))).toEqual({
      verdict: 'not_probed',
      sentence: 'It was not checked: it had been disabled since 2026-11-21 09:04:00 UTC.',
    });
    expect(explainMoment(moment({ revision: undefined, state: 'unknown' })).sentence).toMatch(/it was created at/);
  });

  it('explains how long a push check had no heartbeat', () => {
    const since = AT - 80 * SECOND;
    const heartbeat = { misses: 'any heartbeat' as const, since, at: since + 120 * SECOND };
    expect(explainMoment(moment({ check: push, heartbeat }))).toEqual({
      verdict: 'not_due',
      sentence: 'No heartbeat for 80 s of 120 s; it would fail at 2026-11-21 10:04:40 UTC.',
      next: { at: heartbeat.at, what: 'missed_heartbeat' },
    });
    const soon = { ...heartbeat, since: AT - 5 * SECOND };
    expect(explainMoment(moment({ check: push, heartbeat: soon }))).toMatchObject({ verdict: 'no_alert_due' });
  });

  it('returns no_alert_due when the last result was a success', () => {
    expect(explainMoment(moment({ results: results('fail', 'ok') }))).toEqual({
      verdict: 'no_alert_due',
      sentence: 'It was up, and no alert was due. Its last result, at 2026-11-21 10:03:10 UTC, was a success.',
    });
  });

  it('mentions the retention of old results', () => {
    expect(explainMoment(moment({ kept_since: AT + 1 })).sentence).toMatch(/no longer kept/);
  });

  it('explains any input', () => {
    const time = fc.integer({ min: AT - 3_600_000, max: AT + 3_600_000 });
    const deadlines = fc.oneof(
      fc.record({ misses: fc.constant('any heartbeat' as const), since: time, at: time }),
      fc.record({ misses: fc.constant('due time' as const), due: time, at: time }),
      fc.record({ misses: fc.constant('first heartbeat' as const), at: time }),
      fc.record({ misses: fc.constant('end of a run' as const), started_at: time, at: time }),
    );
    const gaps = fc.record({
      from: time,
      to: time,
      slots: fc.constant(1),
      cause: fc.constantFrom('late' as const, 'outage' as const, 'network' as const, 'error' as const),
    });
    const moments: fc.Arbitrary<ExplainInput> = fc.record({
      at: fc.constant(AT),
      check: fc.constantFrom(pull, push),
      revision: fc.constantFrom(undefined, revision, { ...revision, enabled: false }),
      state: fc.constantFrom('up' as const, 'unknown' as const, 'down' as const, 'degraded' as const),
      results: fc.array(
        fc.record({ at: time, outcome: fc.constantFrom('ok' as const, 'warn' as const, 'fail' as const) }),
      ),
      gap: fc.option(gaps, { nil: undefined }),
      heartbeat: fc.option(deadlines, { nil: undefined }),
      enabled_at: fc.option(time, { nil: undefined }),
      kept_since: fc.constantFrom(0, AT + 1),
    });
    fc.assert(
      fc.property(moments, (one) => {
        const { verdict, sentence, next } = explainMoment(one);
        expect(Explanation.shape.verdict.options).toContain(verdict);
        expect(sentence).toMatch(/^[A-Z0-9].+\.$/);
        expect(sentence).not.toMatch(/undefined|NaN|null|unknown/);
        if (next) expect(Number.isFinite(next.at)).toBe(true);
      }),
    );
  });
});
