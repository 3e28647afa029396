import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideLateAlert } from '#lib/alerting/deadlines/timed-decisions.ts';
import { dueAlert, type Given, MINUTE, NOW } from './due-alert-deadline.ts';

const decide = (given: Given) => decideLateAlert(dueAlert(given));
const alertWith = (kind: string, state: string) => ({
  alert: { reports_state: state, input: expect.objectContaining({ kind }) },
});

describe('decideLateAlert', () => {
  it('alerts when the last notified state is outdated', () => {
    expect(decide({ state: 'down', announced: 'up' })).toMatchObject(alertWith('late', 'down'));
    expect(decide({ state: 'up', announced: 'down' })).toMatchObject(alertWith('late', 'up'));
  });

  it('does nothing when the last notified state is the present one', () => {
    expect(decide({ state: 'down', announced: 'down' })).toEqual({});
    expect(decide({ state: 'up', announced: 'up' })).toEqual({});
  });

  it('alerts again after alerts were sent out of order', () => {
    expect(decide({ state: 'down', announced: 'down', note: { out_of_order: true } })).toMatchObject(
      alertWith('late', 'down'),
    );
  });

  it('waits for the end of the cooldown', () => {
    const given: Given = { state: 'down', announced: 'up', policy: { cooldown_seconds: 300 }, planned: NOW - MINUTE };
    expect(decide(given)).toEqual({ next: { deadline: NOW + 4 * MINUTE } });
    expect(decide({ ...given, planned: NOW - 5 * MINUTE })).toMatchObject(alertWith('late', 'down'));
  });

  it('waits for the cooldown even without channels, because one can be added', () => {
    const policy = { cooldown_seconds: 300, channels: [] };
    const next = { deadline: NOW + 4 * MINUTE };
    expect(decide({ state: 'down', announced: 'up', policy, planned: NOW - MINUTE })).toEqual({ next });
  });

  it('does not wait after failed or misordered alerts', () => {
    const given: Given = { state: 'down', announced: 'up', policy: { cooldown_seconds: 300 }, planned: NOW };
    expect(decide({ ...given, note: { failed_at: NOW - MINUTE, tries: 0 } })).toMatchObject(alertWith('late', 'down'));
    expect(decide({ ...given, note: { out_of_order: true } })).toMatchObject(alertWith('late', 'down'));
  });

  it('starts a cooldown, without another deadline', () => {
    const { alert, next } = decide({ state: 'down', announced: 'up' });
    expect(alert).toMatchObject({ reports_state: 'down', cooldown: 'page' });
    expect(next).toBeUndefined();
  });

  it('does not alert on recovery when the policy disables it', () => {
    expect(decide({ state: 'up', announced: 'down', policy: { notify_on_recovery: false } })).toEqual({});
  });

  it('sends a closing alert for a disabled check whose last notified state is down', () => {
    const closed = {
      alert: { reports_state: 'up', cooldown: null, input: expect.objectContaining({ kind: 'closed' }) },
    };
    expect(decide({ enabled: false, state: 'unknown', announced: 'down' })).toMatchObject(closed);
    expect(decide({ enabled: false, announced: 'down', policy: { late_alerts: false } })).toEqual({});
    expect(decide({ enabled: false, announced: 'up' })).toEqual({});
  });

  it('distinguishes degraded from up and down', () => {
    expect(decide({ state: 'degraded', announced: 'up' })).toMatchObject(alertWith('late', 'degraded'));
    expect(decide({ state: 'degraded', announced: 'down' })).toMatchObject(alertWith('late', 'degraded'));
    expect(decide({ state: 'degraded', announced: 'degraded' })).toEqual({});
    expect(decide({ enabled: false, state: 'unknown', announced: 'degraded' })).toMatchObject(
      alertWith('closed', 'up'),
    );
  });

  it('counts degraded as up when alerts on degraded are disabled', () => {
    const policy = { notify_on_degraded: false };
    expect(decide({ state: 'degraded', announced: 'up', policy })).toEqual({});
    expect(decide({ state: 'degraded', announced: 'down', policy })).toMatchObject(alertWith('late', 'up'));
    expect(decide({ state: 'degraded', announced: 'degraded', policy })).toMatchObject(alertWith('late', 'up'));
  });

  it('applies the cooldown of a warning only to warnings', () => {
    const given: Given = { policy: { cooldown_seconds: 300 }, warned: NOW - MINUTE };
    const later = { next: { deadline: NOW + 4 * MINUTE } };
    expect(decide({ ...given, state: 'degraded', announced: 'up' })).toEqual(later);
    expect(decide({ ...given, state: 'up', announced: 'degraded' })).toEqual(later);
    expect(decide({ ...given, state: 'down', announced: 'degraded' })).toMatchObject({
      alert: { cooldown: 'page' },
    });
    expect(decide({ ...given, state: 'degraded', announced: 'down' })).toMatchObject({
      alert: { cooldown: 'page' },
    });
    expect(decide({ state: 'degraded', announced: 'up' })).toMatchObject({ alert: { cooldown: 'warning' } });
  });

  it('waits until a flapping check is calm, then reports its state', () => {
    const policy = { flap_threshold: 3 };
    const unnotified = { since: NOW - 9 * MINUTE, until: NOW + MINUTE };
    const notified = { ...unnotified, notified: true as const };
    const calm = { ...notified, until: NOW };
    expect(decide({ state: 'down', announced: 'up', policy, flapping: notified })).toEqual({
      next: { deadline: notified.until },
    });
    expect(decide({ state: 'up', announced: 'up', policy, flapping: notified })).toEqual({
      next: { deadline: notified.until },
    });
    expect(decide({ state: 'up', announced: 'up', policy, flapping: calm })).toMatchObject(alertWith('late', 'up'));
    expect(decide({ state: 'down', announced: 'up', policy, flapping: unnotified })).toMatchObject(
      alertWith('late', 'down'),
    );
    expect(decide({ state: 'down', announced: 'up', policy: { flap_threshold: 0 }, flapping: notified })).toMatchObject(
      alertWith('late', 'down'),
    );
  });

  it('alerts during flapping when the flapping alert failed, and is due again at the calm time', () => {
    const flapping = { since: NOW - 9 * MINUTE, until: NOW + MINUTE, notified: true as const };
    const note = { failed_at: NOW - MINUTE, tries: 0 };
    const next = { deadline: flapping.until };
    const policy = { flap_threshold: 3 };
    expect(decide({ state: 'down', announced: 'up', policy, flapping, note })).toMatchObject({
      ...alertWith('late', 'down'),
      next,
    });
    expect(decide({ state: 'up', announced: 'up', policy, flapping, note })).toEqual({ next });
  });

  const anyGiven = fc.record({
    state: fc.constantFrom('up' as const, 'degraded' as const, 'down' as const, 'unknown' as const),
    announced: fc.constantFrom('up' as const, 'degraded' as const, 'down' as const),
    enabled: fc.boolean(),
    planned: fc.integer({ min: 0, max: NOW }),
    note: fc.constantFrom(undefined, { out_of_order: true as const }, { failed_at: NOW - MINUTE, tries: 1 }),
  });

  it('does nothing when silenced, without channels, or with late alerts disabled', () => {
    fc.assert(
      fc.property(anyGiven, (given) => {
        expect(decide({ ...given, policy: { silenced: true } })).toEqual({});
        expect(decide({ ...given, policy: { channels: [] } })).toEqual({});
        expect(decide({ ...given, policy: { late_alerts: false } })).toEqual({});
      }),
    );
  });

  it('reports only the present state', () => {
    fc.assert(
      fc.property(anyGiven, (given) => {
        const { alert } = decide({ ...given, enabled: true });
        if (alert) expect(alert.reports_state).toBe(given.state);
      }),
    );
  });
});
